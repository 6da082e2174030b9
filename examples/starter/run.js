// Judge the functions of library.js by the starter set: node run.js. It needs nothing but Node.
const library = require("./library.js");
const { cases } = require("./starter.json");

function judgeDraws(law, draws) {
  const cells = draws.map((draw) =>
    law.outcomes ? law.outcomes.indexOf(String(draw)) : law.edges.filter((edge) => edge < draw).length);
  if (cells.includes(-1)) throw new Error("a draw is none of the outcomes");
  const gains = law.rivals.map(({ probabilities }) => cells.reduce(
    (sum, cell) => sum + Math.log(Math.max(probabilities[cell] / law.probabilities[cell], 1e-300)), 0));
  const best = Math.max(...gains);
  if (best <= Math.log(gains.length / law.error)) return "";
  return `the draws show the mistake ${law.rivals[gains.indexOf(best)].flag}`;
}

function judge(test, call) {
  const args = { ...test.args };
  for (const key in args) if (["NaN", "Infinity"].includes(args[key])) args[key] = Number(args[key]);
  let result;
  try {
    if (test.law) return judgeDraws(test.law, Array.from({ length: test.law.draws }, () => call(args)));
    if (test.sides) {
      const [a, b] = test.sides.map((rows) => call({ rows: rows.map(Number), ...args }));
      return Math.abs(a - b) <= test.at_most + 1e-9 ? "" : `${a} and ${b} are too far apart`;
    }
    result = call(args);
  } catch (error) {
    return test.refused ? "" : `an error: ${error.message}`;
  }
  if (test.refused) return `expected an error, got ${result}`;
  return result >= test.least ? "" : `${result} is below ${test.least}`;
}

for (const test of cases) {
  const call = library[test.function];
  const wrong = call ? judge(test, call) : "";
  if (wrong) process.exitCode = 1;
  console.log(call ? (wrong ? "FAIL" : "pass") : "skip", test.id, wrong);
}
