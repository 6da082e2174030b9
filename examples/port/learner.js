'use strict';
// Boosted private trees: train and predict.

const { ZERO, ONE, TWO, HALF, sum } = require('./rational.js');
const { leafRisk } = require('./losses.js');
const m = require('./mechanisms.js');
const { require_, record, real } = require('./arguments.js');

/** The test "x3 >= 2" or "x3 = 2" as a predicate on code lists; `width` is the number of attributes. */
function parseTest(text, width) {
  const parts = /^x(0|[1-9]\d*) (>=|=) (0|[1-9]\d*)$/.exec(text);
  require_(parts && Number(parts[1]) < width, `no candidate: ${text}`);
  const [attribute, code] = [Number(parts[1]), Number(parts[3])];
  return parts[2] === '=' ? (x) => x[attribute] === code : (x) => x[attribute] >= code;
}

/** The candidates of a domain in order, each with its test. */
function testsOf(domain) {
  const candidates = domain.flatMap(({ kind, n_values: n }, attribute) => {
    const codes = Array.from({ length: n }, (_, code) => code);
    if (kind === 'quantised') return codes.slice(1).map((code) => `x${attribute} >= ${code}`);
    return codes.slice(0, n > 2 ? n : n - 1).map((code) => `x${attribute} = ${code}`);
  });
  return new Map(candidates.map((candidate) => [candidate, parseTest(candidate, domain.length)]));
}

function checkRows(rows, domain) {
  for (const { x } of rows) {
    require_(x.length === domain.length, 'a row of the wrong width');
    x.forEach((code, i) => require_(code < domain[i].n_values, `code ${code} outside the domain of x${i}`));
  }
}

/** Minus the summed leaf risk of the two sides of each test; rows have codes x, a label y and a weight w. */
function splitScores(alpha, rows, tests) {
  return tests.map((test) => {
    const mass = { left: { 1: ZERO, '-1': ZERO }, right: { 1: ZERO, '-1': ZERO } };
    for (const { x, y, w } of rows) {
      const side = test(x) ? mass.right : mass.left;
      side[y] = side[y].add(w);
    }
    return sum([mass.left, mass.right].map((side) => leafRisk(alpha, side[1], side[-1]))).neg();
  });
}

/** All randomness of a run: drawn from a seed. */
class Draws {
  constructor(seed, law, grid, two) {
    Object.assign(this, { random: new m.Random(seed), law, grid, two });
  }

  choice(tree, k, tests, rows, { alpha, budget, sensitivity }) {
    const scores = splitScores(alpha, rows, [...tests.values()]);
    const delta = sensitivity.isZero() ? ONE : sensitivity; // 0 with one row, where all scores are 0
    return [...tests.keys()][this.random.index(m.splitLaw(this.law, scores, budget, delta, this.two))];
  }

  noise(tree, leaf, keys, scale) {
    return Object.fromEntries(keys.map((key) => [key, this.random.laplace(scale, this.grid)]));
  }
}

/** All randomness of a run: read from a tape, which is checked here. */
class Tape {
  constructor(tape, { trees, depth }, tests, keys) {
    require_(tape.length === trees, 'the tape must have one entry per tree');
    const read = record(Object.fromEntries(keys.map((key) => [key, real])));
    this.trees = tape.map(({ choices, noise }) => {
      require_(choices.length === 2 ** depth - 1 && noise.length === 2 ** depth, 'the tape does not fit the depth');
      choices.forEach((choice) => require_(tests.has(choice), `no candidate: ${choice}`));
      return { choices, noise: noise.map((item) => read(item, 'noise')) };
    });
  }

  choice(tree, k) { return this.trees[tree].choices[k]; }
  noise(tree, leaf) { return this.trees[tree].noise[leaf]; }
}

class Training {
  constructor({ protocol, parameters, domain, rows, tape, seed }) {
    checkRows(rows, domain);
    Object.assign(this, { protocol, parameters, rows });
    this.m = BigInt(rows.length);
    this.tests = testsOf(domain);
    require_(this.tests.size > 0, 'the domain has no candidates');
    this.noiseKeys = protocol.leaf === 'noisy_masses' ? ['positive', 'negative'] : ['value'];
    // under add/remove the score moves one way only, so the sharp rule can do without the law's 2
    this.two = protocol.sensitivity === 'sharp' && protocol.relation === 'add_remove' ? ONE : TWO;
    this.source = tape ? new Tape(tape, parameters, this.tests, this.noiseKeys)
      : new Draws(seed, protocol.split_law, parameters.grid, this.two);
    const { epsilon, beta_tree: betaTree, trees } = parameters;
    this.leafBudget = m.leafBudget(epsilon, betaTree, BigInt(trees));
    require_(!this.leafBudget.isZero(), 'beta_tree leaves no budget for the leaves');
  }

  run() {
    const trees = [];
    let weights = this.rows.map(() => HALF);
    const margins = this.rows.map(() => ZERO);
    for (let t = 0; t < this.parameters.trees; t++) {
      const { tree, valueOf } = this.grow(t, weights, t === 0 ? HALF : ONE);
      trees.push(tree);
      if (t + 1 === this.parameters.trees) break; // the last tree's weights are for nobody
      weights = this.reweight(weights, margins, tree.beta, valueOf);
    }
    const expenses = trees.flatMap((tree, t) => this.expensesOf(tree, t));
    return { trees, expenses, total: sum(expenses.map(({ epsilon }) => epsilon)) };
  }

  reweight(weights, margins, beta, valueOf) {
    const { boost_alpha: alpha, grid } = this.parameters;
    return this.rows.map(({ y }, i) => {
      if (this.protocol.beta === 'raw') return m.mirrorWeight(alpha, y, weights[i], beta, valueOf[i]);
      margins[i] = margins[i].add(beta.mul(valueOf[i]));
      return m.accumulatedWeight(alpha, y, margins[i], ONE, grid);
    });
  }

  /** Nodes are numbered in level order: the children of k are 2k+1 and 2k+2. */
  grow(t, weights, weightBound) {
    const inner = 2 ** this.parameters.depth - 1;
    const members = [this.rows.map((_, i) => i)];
    const masses = [this.massesOf(members[0], weights)];
    const splits = [];
    const nodes = [];
    for (let k = 0; k < inner; k++) {
      const node = this.nodeAt(k, masses, weightBound);
      const rows = members[k].map((i) => ({ ...this.rows[i], w: weights[i] }));
      const choice = this.source.choice(t, k, this.tests, rows, node);
      const test = this.tests.get(choice);
      for (const right of [false, true]) {
        members.push(members[k].filter((i) => test(this.rows[i].x) === right));
        masses.push(this.massesOf(members.at(-1), weights));
      }
      splits.push(choice);
      nodes.push(node);
    }
    const leaves = this.leaves(t, masses.slice(inner), weightBound);
    const valueOf = [];
    members.slice(inner).forEach((rows, leaf) => rows.forEach((i) => { valueOf[i] = leaves.values[leaf]; }));
    return { tree: { splits, nodes, masses: masses.slice(inner), ...leaves }, valueOf };
  }

  massesOf(members, weights) {
    const mass = (label) => sum(members.filter((i) => this.rows[i].y === label).map((i) => weights[i]));
    return { positive: mass(1n), negative: mass(-1n) };
  }

  nodeAt(k, masses, weightBound) {
    const { epsilon, beta_tree: betaTree, trees, depth, alphas } = this.parameters;
    const level = 31 - Math.clz32(k + 1);
    // before node k is split, the leaves of the tree are the nodes k … 2k
    const alpha = this.protocol.alpha === 'schedule' ? alphas[Math.min(level, alphas.length - 1)]
      : m.calibratedAlpha(sum(masses.slice(k, 2 * k + 1).map((leaf) => this.errorOf(leaf))), this.errorOf(masses[0]));
    return {
      alpha,
      budget: m.nodeBudget(this.protocol.node_budget, epsilon, betaTree, BigInt(trees), BigInt(depth), BigInt(level)),
      sensitivity: m.sensitivity(this.protocol.sensitivity, alpha, this.m, weightBound),
    };
  }

  /** The strict reading counts y·h < 0, which a leaf at a tie (h = 0) never meets. */
  errorOf({ positive, negative }) {
    const draw = positive.cmp(negative) === 0;
    return draw && this.protocol.alpha === 'raw_strict' ? ZERO : positive.min(negative);
  }

  leaves(t, masses, weightBound) {
    const { leaf: rule, relation } = this.protocol;
    const { bound, zeta, grid, boost_alpha: alpha } = this.parameters;
    const scale = m.leafScale(rule, relation, this.leafBudget, BigInt(masses.length), bound, weightBound);
    const noise = masses.map((_, leaf) => this.source.noise(t, leaf, this.noiseKeys, scale));
    const values = masses.map((mass, leaf) => m.leafValue(rule, { alpha, zeta, bound, grid }, mass, noise[leaf]));
    return { values, beta: this.betaOf(values, masses, noise), scale };
  }

  betaOf(values, masses, noise) {
    const { beta: rule, leaf } = this.protocol;
    if (rule === 'constant' || (rule === 'noisy_masses' && leaf !== 'noisy_masses')) return ONE;
    const nets = masses.map(({ positive, negative }) => positive.sub(negative));
    // noisy nets keep the masses that noise has made negative: cutting them to 0 would bias the sum
    if (rule === 'noisy_masses') noise.forEach((own, i) => { nets[i] = nets[i].add(own.positive).sub(own.negative); });
    return m.leverage(this.parameters.boost_alpha, this.parameters.bound, this.m, values, nets);
  }

  expensesOf(tree, t) {
    const levels = Array.from({ length: this.parameters.depth }, (_, level) => {
      const budgets = tree.nodes.slice(2 ** level - 1, 2 ** (level + 1) - 1).map(({ budget }) => budget);
      const halved = this.protocol.relation === 'add_remove' && this.two === TWO;
      const cost = this.protocol.node_budget === 'printed' ? sum(budgets) : halved ? budgets[0].div(TWO) : budgets[0];
      return { what: `tree ${t}, splits of level ${level}`, epsilon: cost };
    });
    return [...levels, { what: `tree ${t}, leaves`, epsilon: this.leafBudget }];
  }
}

function predict({ model, domain, rows }) {
  checkRows(rows, domain);
  const tests = testsOf(domain);
  for (const { splits, values } of model) {
    require_(values.length === splits.length + 1 && Number.isInteger(Math.log2(values.length)), 'a tree is not complete');
    splits.forEach((split) => require_(tests.has(split), `no candidate: ${split}`));
  }
  return rows.map(({ x }) => sum(model.map(({ splits, values, beta }) => {
    let node = 0;
    while (node < splits.length) node = 2 * node + (tests.get(splits[node])(x) ? 2 : 1);
    return beta.mul(values[node - splits.length]);
  })));
}

module.exports = { parseTest, splitScores, train: (args) => new Training(args).run(), predict };
