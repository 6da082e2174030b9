'use strict';
// Numbers: exact fractions of BigInts, and where a value is irrational a fraction that is right to 512 bits.
// A number knows whether it is exact. Comparisons of inexact numbers call them equal when they agree to 400 bits:
// sums of surds that meet a tie or a grid point do so by algebra, never by a chance of 2^-400.

const PRECISION = 512;
const AGREE = 400n;
const EXPONENT_LIMIT = 20000;

const absolute = (n) => (n < 0n ? -n : n);
/** Bits of n, rounded up to a multiple of four. */
const bits = (n) => absolute(n).toString(16).length * 4;

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

function integerRoot(n) {
  if (n < 2n) return n;
  let x = 1n << BigInt((bits(n) >> 1) + 1); // from above, Newton's steps only descend
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

class Q {
  constructor(n, d, exact) {
    this.n = n;
    this.d = d;
    this.exact = exact;
  }

  /** n/d for any d ≠ 0: in lowest terms if exact, else rounded to PRECISION bits over a power of two. */
  static of(n, d = 1n, exact = true) {
    if (d < 0n) [n, d] = [-n, -d];
    if (exact) {
      if (d === 1n) return new Q(n, d, true);
      const g = gcd(absolute(n), d);
      return new Q(n / g, d / g, true);
    }
    if (n === 0n) return new Q(0n, 1n, false);
    const shift = BigInt(PRECISION - bits(n) + bits(d));
    return shift > 0n ? new Q((n << shift) / d, 1n << shift, false) : new Q((n / (d << -shift)) << -shift, 1n, false);
  }

  /** The double x as a fraction; `exact` says whether x is meant to the last bit. */
  static fromNumber(x, exact) {
    let d = 1n;
    for (; !Number.isInteger(x); x *= 2) d <<= 1n;
    return Q.of(BigInt(x), d, exact);
  }

  /** "3/8", "-2", "0.1", "1e-3"; null if the text is no number. */
  static parse(text) {
    const fraction = /^([+-]?\d+)\/(\d+)$/.exec(text);
    if (fraction) return BigInt(fraction[2]) === 0n ? null : Q.of(BigInt(fraction[1]), BigInt(fraction[2]));
    const decimal = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
    if (!decimal) return null;
    const [, sign, whole, digits = '', power = '0'] = decimal;
    const exponent = Number(power) - digits.length;
    if (Math.abs(exponent) > EXPONENT_LIMIT) throw new RangeError(`the number ${text} is too long`);
    const n = BigInt(whole + digits) * (sign === '-' ? -1n : 1n);
    const scale = 10n ** BigInt(Math.abs(exponent));
    return exponent < 0 ? Q.of(n, scale) : Q.of(n * scale);
  }

  add(o) {
    const exact = this.exact && o.exact;
    return this.d === o.d ? Q.of(this.n + o.n, this.d, exact) : Q.of(this.n * o.d + o.n * this.d, this.d * o.d, exact);
  }

  sub(o) { return this.add(o.neg()); }
  neg() { return new Q(-this.n, this.d, this.exact); }
  abs() { return this.n < 0n ? this.neg() : this; }
  mul(o) { return Q.of(this.n * o.n, this.d * o.d, this.exact && o.exact); }
  div(o) { return Q.of(this.n * o.d, this.d * o.n, this.exact && o.exact); }

  /** Sign of this - o, 0 where inexact numbers agree to AGREE bits (relative to the greater, or to 1). */
  cmp(o) {
    const difference = this.n * o.d - o.n * this.d;
    if (!(this.exact && o.exact)) {
      const sizes = [this.n * o.d, o.n * this.d, this.d * o.d].map(absolute);
      if (sizes.some((size) => absolute(difference) <= size >> AGREE)) return 0;
    }
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  }

  sign() { return this.cmp(ZERO); }
  isZero() { return this.n === 0n; }
  min(o) { return this.cmp(o) > 0 ? o : this; }
  max(o) { return this.cmp(o) < 0 ? o : this; }

  sqrt() {
    if (this.exact) {
      const [n, d] = [integerRoot(this.n), integerRoot(this.d)];
      if (n * n === this.n && d * d === this.d) return Q.of(n, d);
    }
    const half = BigInt(Math.max(0, PRECISION - ((bits(this.n) - bits(this.d)) >> 1)));
    return Q.of(integerRoot((this.n << (2n * half)) / this.d), 1n << half, false);
  }

  /** The greatest integer ≤ this, as a BigInt. */
  floor() {
    const down = (x) => x.n / x.d - (x.n < 0n && x.n % x.d !== 0n ? 1n : 0n);
    const nearest = down(this.add(HALF));
    return !this.exact && this.cmp(Q.of(nearest)) === 0 ? nearest : down(this);
  }

  /** The greatest multiple of the grid ≤ this. */
  floorTo(grid) { return Q.of(this.div(grid).floor()).mul(grid); }

  /** Nearest double; ±Infinity beyond the range. */
  toNumber() {
    const shift = 64 - bits(this.n) + bits(this.d);
    const top = shift > 0 ? (this.n << BigInt(shift)) / this.d : this.n / (this.d << BigInt(-shift));
    const half = Math.trunc(-shift / 2); // in two steps: 2^-shift alone may leave the range of doubles
    return Number(top) * 2 ** half * 2 ** (-shift - half);
  }

  toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; }
}

const ZERO = new Q(0n, 1n, true);
const ONE = new Q(1n, 1n, true);
const TWO = new Q(2n, 1n, true);
const HALF = new Q(1n, 2n, true);
const sum = (numbers) => numbers.reduce((total, x) => total.add(x), ZERO);

module.exports = { Q, ZERO, ONE, TWO, HALF, sum };
