'use strict';
// Budgets, sensitivities, the laws of the two split mechanisms, the leaf rules, and seeded draws.

const { createCipheriv, createHash } = require('node:crypto');
const { Q, ZERO, ONE, TWO, HALF, sum } = require('./rational.js');
const { mAlpha, leafRisk, clamp } = require('./losses.js');

// --- budgets and sensitivities ---

function sensitivity(rule, alpha, m, weightBound) {
  if (rule === 'printed') return Q.of(3n).add(TWO.mul(alpha).mul(Q.of(m).sqrt().sub(ONE)));
  return weightBound.mul(leafRisk(alpha, ONE, Q.of(m - 1n))); // m·L(1/m) is the risk of masses 1 and m-1
}

function nodeBudget(rule, epsilon, betaTree, trees, depth, level) {
  const share = betaTree.mul(epsilon).div(Q.of(trees * depth));
  return rule === 'printed' ? share.div(Q.of(1n << level)) : share;
}

const leafBudget = (epsilon, betaTree, trees) => ONE.sub(betaTree).mul(epsilon).div(Q.of(trees));

function leafScale(rule, relation, budget, leaves, bound, weightBound) {
  if (rule !== 'noisy_masses') return TWO.mul(bound).mul(Q.of(leaves)).div(budget);
  return weightBound.mul(relation === 'exchange' ? TWO : ONE).div(budget);
}

function calibratedAlpha(error, rootError) {
  return rootError.isZero() ? ONE : error.div(rootError).min(ONE);
}

// --- split laws; both take log-odds against the best candidate, numbers ≤ 0 of which one is 0 ---

function exponentialLaw(odds) {
  const weights = odds.map(Math.exp);
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / total);
}

/** Nodes and weights on [0, 1] that integrate polynomials of degree < 2n exactly (Newton on Legendre's polynomial). */
function gaussLegendre(n) {
  return Array.from({ length: n }, (_, i) => {
    let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
    let slope;
    for (let step = 0; step < 8; step++) {
      let [p, previous] = [x, 1];
      for (let k = 2; k <= n; k++) [p, previous] = [((2 * k - 1) * x * p - (k - 1) * previous) / k, p];
      slope = (n * (x * p - previous)) / (x * x - 1);
      x -= p / slope;
    }
    return { t: (1 + x) / 2, weight: 1 / ((1 - x * x) * slope * slope) };
  });
}

/**
 * A random order is the order of uniform arrival times t, so candidate i wins with probability
 * q_i ∫ Π_{j≠i} (1 - t·q_j) dt: a sum of positive terms, where the usual sum over subsets alternates.
 */
function permuteAndFlipLaw(odds) {
  const coins = odds.map(Math.exp);
  const law = coins.map(() => 0);
  for (const { t, weight } of gaussLegendre(Math.ceil(coins.length / 2))) {
    const product = coins.reduce((p, q) => p * (1 - t * q), weight);
    coins.forEach((q, i) => { law[i] += (q * product) / (1 - t * q); });
  }
  return law;
}

const LAWS = { exponential: exponentialLaw, permute_and_flip: permuteAndFlipLaw };

/** Probabilities for exact scores; `two` is the 2 of the law's 2Δ. Differences are exact, so no scores overflow. */
function splitLaw(name, scores, epsilon, delta, two = TWO) {
  const best = scores.reduce((a, b) => a.max(b));
  const slope = epsilon.div(two.mul(delta));
  return LAWS[name](scores.map((score) => score.sub(best).mul(slope).toNumber()));
}

// --- leaves ---

/** Noisy masses, negative ones set to 0. */
function noisyMasses(masses, noise) {
  return {
    positive: masses.positive.add(noise.positive).max(ZERO),
    negative: masses.negative.add(noise.negative).max(ZERO),
  };
}

function proportion({ positive, negative }) {
  // an exact tie must stay exact, whatever the masses are
  return positive.cmp(negative) === 0 ? HALF : positive.div(positive.add(negative));
}

const clampExtended = (x, bound) => (typeof x === 'number' ? (x < 0 ? bound.neg() : bound) : clamp(x, bound.neg(), bound));

function leafValue(rule, { alpha, zeta, bound, grid }, masses, noise) {
  const { link } = mAlpha(alpha);
  const isEmpty = (m) => m.positive.add(m.negative).isZero();
  if (rule === 'noisy_masses') {
    const noisy = noisyMasses(masses, noise);
    return isEmpty(noisy) ? ZERO : clampExtended(link(proportion(noisy)), bound);
  }
  let value = isEmpty(masses) ? ZERO : link(clamp(proportion(masses), zeta, ONE.sub(zeta)));
  if (rule === 'link_clamp_noise') value = clampExtended(value, bound);
  if (typeof value === 'number') return clampExtended(value, bound); // infinite (ζ = 0): no noise moves it
  return clampExtended(value.floorTo(grid).add(noise.value), bound);
}

// --- boosting ---

function leverage(alpha, bound, m, values, nets) {
  return alpha.div(bound.mul(bound)).div(Q.of(m)).mul(sum(values.map((value, i) => value.mul(nets[i]))));
}

function mirrorWeight(alpha, y, weight, beta, value) {
  const { link, inverse } = mAlpha(alpha);
  const z = link(weight);
  return typeof z === 'number' ? weight : inverse(z.sub(beta.mul(Q.of(y)).mul(value)));
}

function accumulatedWeight(alpha, y, margin, weightBound, grid) {
  return mAlpha(alpha).inverse(margin.mul(Q.of(-y))).min(weightBound).floorTo(grid).max(grid);
}

// --- seeded draws ---

/** A stream of random bits: AES-256 in counter mode under the SHA-256 of the seed. */
class Random {
  constructor(seed) {
    this.cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(seed).digest(), Buffer.alloc(16));
    this.buffer = Buffer.alloc(0);
    this.position = 0;
  }

  bytes(count) {
    if (this.position + count > this.buffer.length) {
      this.buffer = this.cipher.update(Buffer.alloc(Math.max(count, 4096)));
      this.position = 0;
    }
    this.position += count;
    return this.buffer.subarray(this.position - count, this.position);
  }

  /** A uniform double of [0, 1), a multiple of 2^-53. */
  uniform() {
    return Number(this.bytes(8).readBigUInt64BE() >> 11n) * 2 ** -53;
  }

  /** A uniform integer of [0, n), by rejection. */
  below(n) {
    const width = (n - 1n).toString(2).length;
    const count = (width + 7) >> 3;
    for (;;) {
      const draw = BigInt(`0x${this.bytes(count).toString('hex')}`) >> BigInt(8 * count - width);
      if (draw < n) return draw;
    }
  }

  /** A coin of bias exp(-n/d) for 0 ≤ n ≤ d, exactly: von Neumann's alternating series. */
  expCoin(n, d) {
    let k = 1n;
    while (this.below(d * k) < n) k += 1n;
    return k % 2n === 1n;
  }

  index(law) {
    let rest = this.uniform();
    for (let i = 0; i < law.length; i++) {
      rest -= law[i];
      if (rest < 0) return i;
    }
    return law.indexOf(Math.max(...law)); // only when rounding left the law short of 1
  }

  /** k·grid with probability ∝ exp(-|k|·grid/scale), exactly, for fractions (Canonne, Kamath and Steinke 2020). */
  laplace(scale, grid) {
    const { n, d } = scale.div(grid);
    for (;;) {
      const low = this.below(n);
      if (!this.expCoin(low, n)) continue;
      let high = 0n;
      while (this.expCoin(1n, 1n)) high += 1n;
      const k = (low + n * high) / d;
      const negative = this.below(2n) === 1n;
      if (negative && k === 0n) continue; // 0 must not count twice
      return Q.of(negative ? -k : k).mul(grid);
    }
  }
}

module.exports = {
  sensitivity, nodeBudget, leafBudget, leafScale, calibratedAlpha, LAWS, splitLaw, leafValue, leverage,
  mirrorWeight, accumulatedWeight, Random,
};
