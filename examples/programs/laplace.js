// The noisy count of laplace.c in JavaScript: the same answers to the same seeds, up to rounding.
"use strict";

const scale = process.argv[2] === "--faulty" ? 0.5 : 1.0;
const wrap = (z) => BigInt.asUintN(64, z);

// The finaliser of SplitMix64.
function mix(z) {
  z = wrap((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = wrap((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

// 32 hexadecimal digits to a number strictly between 0 and 1.
function uniform(digits) {
  const [high, low] = [BigInt("0x" + digits.slice(0, 16)), BigInt("0x" + digits.slice(16))];
  return (Number(mix(high ^ mix(low)) >> 12n) + 0.5) / 2 ** 52;
}

const laplace = (u) => (u < 0.5 ? scale * Math.log(2 * u) : -scale * Math.log(2 * (1 - u)));

function answer({ id, op, args }) {
  if (op !== "sample") return { id, unsupported: true };
  return { id, result: args.data.reduce((sum, bit) => sum + bit, 0) + laplace(uniform(args.seed)) };
}

require("node:readline")
  .createInterface({ input: process.stdin, terminal: false })
  .on("line", (line) => process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n"));
