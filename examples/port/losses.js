'use strict';
// The losses of the paper, normalised to Bayes risk 1 at 1/2. Values are fractions (rational.js) or ±Infinity.

const { Q, ZERO, ONE, TWO, HALF } = require('./rational.js');

const FOUR = Q.of(4n);
const EIGHT = Q.of(8n);
const TINY = Q.of(1n, 1n << 60n);
const LN2 = Q.fromNumber(Math.LN2, false);

const clamp = (x, low, high) => x.max(low).min(high);

/** The homogeneous form of the Mα risk: (a+b)·L(a/(a+b)) = 2α√(ab) + 2(1-α)min(a, b), with no division to go wrong. */
function leafRisk(alpha, a, b) {
  return TWO.mul(alpha.mul(a.mul(b).sqrt()).add(ONE.sub(alpha).mul(a.min(b))));
}

/** The Mα-loss; α = 1 is Matsushita's loss and α = 0 the 0/1 loss. */
function mAlpha(alpha) {
  const plateau = TWO.mul(ONE.sub(alpha)); // the link jumps by ± this at 1/2
  return {
    risk: (u) => leafRisk(alpha, u, ONE.sub(u)),

    /** p is the probability that the prediction gives to the label. The paper's 2α is α here: normalised. */
    partial(p) {
      const side = p.cmp(HALF);
      const jump = side < 0 ? plateau : side === 0 ? plateau.div(TWO) : ZERO;
      if (alpha.isZero()) return jump;
      return p.isZero() ? Infinity : jump.add(alpha.mul(ONE.sub(p).div(p).sqrt()));
    },

    link(u) {
      const side = u.cmp(HALF);
      if (side === 0) return ZERO;
      const spread = u.mul(ONE.sub(u));
      if (!alpha.isZero() && spread.isZero()) return side * Infinity;
      const smooth = alpha.isZero() ? ZERO : alpha.mul(TWO.mul(u).sub(ONE)).div(spread.sqrt());
      return side > 0 ? smooth.add(plateau) : smooth.sub(plateau);
    },

    inverse(z) {
      const excess = z.abs().sub(plateau);
      if (excess.sign() <= 0) return HALF;
      if (alpha.isZero()) return z.sign() > 0 ? ONE : ZERO;
      const t = excess.div(alpha);
      const root = FOUR.add(t.mul(t)).sqrt();
      const tail = TWO.div(root.mul(root.add(t))); // (1 - t/√(4+t²))/2 without the cancellation
      return z.sign() < 0 ? tail : ONE.sub(tail);
    },

    surrogate(z) {
      if (z.abs().cmp(plateau) <= 0) return ONE.sub(z.div(TWO));
      const s = z.abs().sub(plateau).div(TWO);
      const root = alpha.mul(alpha).add(s.mul(s)).sqrt();
      // for z > 0 the printed form is √(α²+s²) - s, which cancels
      return z.sign() > 0 ? alpha.mul(alpha).div(root.add(s)) : root.add(s).add(plateau);
    },
  };
}

const square = {
  risk: (u) => FOUR.mul(u).mul(ONE.sub(u)),
  partial: (p) => FOUR.mul(ONE.sub(p)).mul(ONE.sub(p)),
  link: (u) => EIGHT.mul(u).sub(FOUR),
  inverse: (z) => clamp(z.add(FOUR).div(EIGHT), ZERO, ONE),
  surrogate(z) {
    if (z.abs().cmp(FOUR) >= 0) return z.sign() > 0 ? ZERO : z.neg();
    const gap = FOUR.sub(z);
    return gap.mul(gap).div(Q.of(16n));
  },
};

/** log2(1 + x) for x in [-1/3, 1], to the precision of doubles relative to the result, however small x is. */
function log2OnePlus(x) {
  return x.abs().cmp(TINY) < 0 ? x.div(LN2) : Q.fromNumber(Math.log1p(x.toNumber()) / Math.LN2, false);
}

/** log2 of a positive fraction of any size: x = 2^e·(1 + f) with f in [-1/3, 1/3]. */
function log2(x) {
  let e = 0n;
  let mantissa = x;
  const scale = (power) => {
    e += power;
    mantissa = power > 0n ? Q.of(mantissa.n, mantissa.d << power) : Q.of(mantissa.n << -power, mantissa.d);
  };
  scale(BigInt(x.n.toString(16).length - x.d.toString(16).length) * 4n);
  while (mantissa.n * 3n > mantissa.d * 4n) scale(1n);
  while (mantissa.n * 3n < mantissa.d * 2n) scale(-1n);
  return Q.of(e).add(log2OnePlus(mantissa.sub(ONE)));
}

/** 2^-x for x ≥ 0; the whole part of x is taken out first, for large x would lose bits. 0 below all doubles. */
function exp2Minus(x) {
  const whole = x.floor();
  if (whole > 2000n) return ZERO;
  const rest = 2 ** -x.sub(Q.of(whole)).toNumber();
  return Q.fromNumber(rest, false).div(Q.of(1n << whole));
}

const entropyTerm = (u) => (u.isZero() ? ZERO : u.mul(log2(u)).neg());

const log = {
  risk: (u) => entropyTerm(u).add(entropyTerm(ONE.sub(u))),
  partial: (p) => (p.isZero() ? Infinity : log2(p).neg()),
  link(u) {
    if (u.isZero()) return -Infinity;
    return u.cmp(ONE) === 0 ? Infinity : log2(u.div(ONE.sub(u)));
  },
  inverse(z) {
    const t = exp2Minus(z.abs());
    return (z.sign() < 0 ? t : ONE).div(ONE.add(t));
  },
  surrogate(z) {
    const tail = log2OnePlus(exp2Minus(z.abs()));
    return z.sign() < 0 ? tail.add(z.abs()) : tail;
  },
};

const LOSSES = ['square', 'log', 'zero_one', 'matsushita', 'm_alpha'];

function loss(name, alpha) {
  return { square, log, zero_one: mAlpha(ZERO), matsushita: mAlpha(ONE), m_alpha: alpha && mAlpha(alpha) }[name];
}

function inverseLink(family, z) {
  if (z === Infinity) return ONE;
  return z === -Infinity ? ZERO : family.inverse(z);
}

function surrogate(family, z) {
  if (z === Infinity) return ZERO;
  return z === -Infinity ? Infinity : family.surrogate(z);
}

/** v·L(u/v), and -Infinity outside its cone. */
function perspective(family, u, v) {
  if (u.sign() < 0 || u.cmp(v) > 0) return -Infinity;
  return v.isZero() ? ZERO : v.mul(family.risk(u.div(v)));
}

module.exports = { LOSSES, loss, mAlpha, leafRisk, inverseLink, surrogate, perspective, clamp };
