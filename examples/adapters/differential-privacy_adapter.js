// differential-privacy (npm): counts, sums and means. It needs tslib, which its own package.json does not list,
// and assigns the global crypto, which Node 19 and newer do not let it do.
"use strict";
Object.defineProperty(globalThis, "crypto", { writable: true, value: undefined });
const readline = require("node:readline");
const { version } = require("differential-privacy/package.json");
const { newArrayView, privatize } = require("differential-privacy");
const EXACT = /^-?[0-9]+(\/0*[1-9][0-9]*|\.[0-9]+)?$/;
const SPECIAL = { nan: NaN, infinity: Infinity, "-infinity": -Infinity };
function real(text) {
  if (text in SPECIAL) return SPECIAL[text];
  if (typeof text !== "string" || !EXACT.test(text)) throw new Error(`expected an exact string, got ${text}`);
  const [numerator, denominator] = text.split("/");
  return Number(numerator) / (denominator === undefined ? 1 : Number(denominator));
}

const rows = (list) => list.map(real);
const word = (...words) => (text) => {
  if (!words.includes(text)) throw new Error(`expected ${words.join(" or ")}, got ${text}`);
  return text;
};

function total(view, args) {
  let sum = 0, size = 0;
  view.forEach((row) => { sum += Math.min(Math.max(row, args.lower), args.upper); size += 1; });
  return [sum, size];
}

const BOUNDED = { rows, lower: real, upper: real, epsilon: real, seed: real, count: real };
const OPERATIONS = {
  count: [{ rows, epsilon: real, noise: word("laplace"), seed: real, count: real }, (view, args) => total(view, args)[1]],
  bounded_sum: [{ ...BOUNDED, relation: word("add_remove") }, (view, args) => total(view, args)[0]],
  bounded_mean: [BOUNDED, (view, args) => total(view, args)[0] / total(view, args)[1]],
};
const variants = { count: { noise: ["laplace"] }, bounded_sum: { relation: ["add_remove"] } };
const hello = { name: "differential-privacy", version, protocol: 1, operations: Object.keys(OPERATIONS), variants };

async function answer({ op, args }) {
  if (op === "hello") return { result: hello };
  if (!(op in OPERATIONS)) return { unsupported: op };
  const [readers, query] = OPERATIONS[op], values = {}, draws = [];
  for (const name of new Set([...Object.keys(args), ...Object.keys(readers)])) {
    if (!(name in args) || !(name in readers)) throw new Error(`missing or unknown argument: ${name}`);
    values[name] = readers[name](args[name]);
  }
  const view = newArrayView(values.rows);
  while (draws.length < values.count) {
    const options = { maxEpsilon: values.epsilon, newShadowIterator: view.newShadowIterator };
    draws.push((await privatize((data) => query(data, values), options)(view)).result);
  }
  return { result: draws };
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const reply = await answer(request).catch((error) => ({ error: String(error) }));
    console.log(JSON.stringify({ id: request.id, ...reply }, (_, value) => (Number.isNaN(value) ? "nan" : value)));
  }
})();
