'use strict';
// Readers of arguments: each turns a JSON value into a checked one, or refuses it.

const { Q, ONE, HALF } = require('./rational.js');

class Refusal extends Error {}
class Unsupported extends Error {}

function require_(condition, message) {
  if (!condition) throw new Refusal(message);
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with exactly the keys of the shape, each read by its reader. */
function record(shape) {
  return (value, name) => {
    require_(isObject(value), `${name} must be an object`);
    for (const key of Object.keys(value)) require_(Object.hasOwn(shape, key), `unknown: ${key} in ${name}`);
    const result = {};
    for (const [key, read] of Object.entries(shape)) {
      require_(Object.hasOwn(value, key), `missing: ${key} in ${name}`);
      result[key] = read(value[key], key);
    }
    return result;
  };
}

function list(read, least = 0) {
  return (value, name) => {
    require_(Array.isArray(value) && value.length >= least, `${name} must be a list of at least ${least}`);
    return value.map((item) => read(item, name));
  };
}

const word = (words) => (value, name) => {
  require_(words.includes(value), `${name} must be one of ${words.join(', ')}`);
  return value;
};

const text = (value, name) => {
  require_(typeof value === 'string', `${name} must be a text`);
  return value;
};

function real(value, name) {
  const number = Number.isInteger(value) ? Q.of(BigInt(value)) : typeof value === 'string' ? Q.parse(value) : null;
  require_(number, `${name} must be an exact number`);
  return number;
}

/** A number of a model: what train returned, so doubles too. */
const returned = (value, name) => (Number.isFinite(value) ? Q.fromNumber(value, true) : real(value, name));

/** A real, or one of the infinities. */
function extended(value, name) {
  if (value === 'infinity') return Infinity;
  return value === '-infinity' ? -Infinity : real(value, name);
}

const where = (condition, range) => (value, name) => {
  const x = real(value, name);
  require_(condition(x), `${name} must be ${range}`);
  return x;
};

const probability = where((x) => x.sign() >= 0 && x.cmp(ONE) <= 0, 'in [0, 1]');
const nonNegative = where((x) => x.sign() >= 0, 'at least 0');
const positive = where((x) => x.sign() > 0, 'greater than 0');
const upToHalf = where((x) => x.sign() > 0 && x.cmp(HALF) < 0, 'between 0 and 1/2');
const share = where((x) => x.sign() > 0 && x.cmp(ONE) < 0, 'between 0 and 1');

/** A BigInt of at least `least`. */
const integer = (least) => (value, name) => {
  const x = real(value, name);
  require_(x.d === 1n && x.n >= least, `${name} must be an integer of at least ${least}`);
  return x.n;
};

/** A number small enough to count with; beyond `most` it is no mistake, but more than this program does. */
const count = (least, most) => (value, name) => {
  const n = integer(least)(value, name);
  if (n > BigInt(most)) throw new Unsupported(`${name} above ${most}`);
  return Number(n);
};

const label = (value, name) => {
  const y = integer(-1n)(value, name);
  require_(y === 1n || y === -1n, `${name} must be 1 or -1`);
  return y;
};

const seed = (value, name) => {
  const digits = Number.isSafeInteger(value) ? String(value) : value;
  require_(typeof digits === 'string' && /^\d+$/.test(digits), `${name} must be a decimal text`);
  return digits;
};

module.exports = {
  Unsupported, require_, isObject, record, list, word, text, real, returned, extended, probability, nonNegative,
  positive, share, upToHalf, integer, count, label, seed,
};
