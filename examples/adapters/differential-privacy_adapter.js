// differential-privacy (npm): counts, sums and means. It needs tslib, which its own package.json does not list,
// and assigns the global crypto, which Node 19 and newer do not let it do.
Object.defineProperty(globalThis, "crypto", { writable: true, value: undefined });
const readline = require("node:readline");
const { version } = require("differential-privacy/package.json");
const { newArrayView, privatize } = require("differential-privacy");
const EXACT = /^-?[0-9]+(\/0*[1-9][0-9]*|\.[0-9]+)?$/;
const SPECIAL = { nan: NaN, infinity: Infinity, "-infinity": -Infinity };
const finite = (text) => {
  if (typeof text !== "string" || !EXACT.test(text)) throw new Error(`expected an exact string, got ${text}`);
  const [numerator, denominator = "1"] = text.split("/");
  return Number(numerator) / Number(denominator);
};
const real = (text) => (text in SPECIAL ? SPECIAL[text] : finite(text));
const natural = (text) => {
  if (/^[0-9]/.test(text) && Number.isInteger(finite(text))) return finite(text);
  throw new Error(`expected an integer, got ${text}`);
};
const rows = (list) => list.map(finite);
const word = (...words) => (text) => {
  if (!words.includes(text)) throw new Error(`expected ${words.join(" or ")}, got ${text}`);
  return text;
};
const plain = (_, value) => Object.keys(SPECIAL).find((name) => Object.is(SPECIAL[name], value)) ?? value;

function total(view, args) {
  const clamped = [];
  view.forEach((row) => { clamped.push(Math.min(Math.max(row, args.lower), args.upper)); });
  return [clamped.reduce((sum, row) => sum + row, 0), clamped.length];
}
const BOUNDED = { rows, lower: real, upper: real, epsilon: real, seed: natural, count: natural };
const OPERATIONS = {
  count: [{ rows, epsilon: real, noise: word("laplace"), seed: natural, count: natural }, (view, args) => total(view, args)[1]],
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
  const options = { maxEpsilon: values.epsilon, newShadowIterator: view.newShadowIterator };
  const draw = privatize.bind(null, (data) => query(data, values), options);
  while (draws.length < values.count) draws.push((await draw()(view)).result);
  return { result: draws };
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const reply = await answer(request).catch((error) => ({ error: String(error) }));
    console.log(JSON.stringify({ id: request.id, ...reply }, plain));
  }
})();
