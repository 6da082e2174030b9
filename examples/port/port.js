'use strict';
// An implementation of the gate's protocol (docs/gate_protocol.md): JSON lines in, JSON lines out.

const readline = require('node:readline');
const { Q } = require('./rational.js');
const losses = require('./losses.js');
const mechanisms = require('./mechanisms.js');
const learner = require('./learner.js');
const {
  Unsupported, require_, isObject, record, list, word, text, real, returned, extended, probability, nonNegative,
  positive, share, upToHalf, integer, count, label, seed,
} = require('./arguments.js');

const MOST_DRAWS = 10_000_000;
const MOST_CODES = 1_000_000;
const DEEPEST = 16;

const LEAF_RULES = ['noisy_masses', 'link_noise_clamp', 'link_clamp_noise'];
const RELATIONS = ['exchange', 'add_remove'];
const BUDGET_RULES = ['printed', 'level'];
const SENSITIVITY_RULES = ['printed', 'sharp'];
const LAW_NAMES = Object.keys(mechanisms.LAWS);

const whole = integer(1n);
const code = count(0, Number.MAX_SAFE_INTEGER);
const kinds = word(['quantised', 'categorical']);
const domain = list(record({ kind: kinds, n_values: count(1, MOST_CODES) }));

function scoresObject(value, name) {
  require_(isObject(value) && Object.keys(value).length > 0, `${name} must be an object with candidates`);
  return Object.entries(value).map(([candidate, score]) => ({ candidate, score: real(score, candidate) }));
}

const lawShape = { scores: scoresObject, epsilon: positive, sensitivity: positive, law: word(LAW_NAMES) };
const lawOf = (a) => mechanisms.splitLaw(a.law, a.scores.map(({ score }) => score), a.epsilon, a.sensitivity);

/** Operations on a loss: `alpha` belongs to m_alpha alone. */
function onLoss(shape, run) {
  return {
    shape: ({ loss }) => ({ loss: word(losses.LOSSES), ...(loss === 'm_alpha' ? { alpha: probability } : {}), ...shape }),
    run: (a) => run(losses.loss(a.loss, a.alpha), a),
  };
}

const operation = (shape, run) => ({ shape: () => shape, run });

const trainShape = (args) => ({
  protocol: record({
    alpha: word(['schedule', 'raw_strict', 'raw_minority']),
    split_law: word(LAW_NAMES),
    sensitivity: word(SENSITIVITY_RULES),
    node_budget: word(BUDGET_RULES),
    leaf: word(LEAF_RULES),
    beta: word(['noisy_masses', 'raw', 'constant']),
    relation: word(RELATIONS),
  }),
  parameters: record({
    trees: count(1, 10_000), depth: count(1, DEEPEST), epsilon: positive, beta_tree: share, bound: positive,
    zeta: upToHalf, alphas: list(probability, 1), boost_alpha: probability, grid: positive,
  }),
  domain,
  rows: list(record({ x: list(code), y: label }), 1),
  ...('tape' in args && !('seed' in args) ? { tape: list(record({ choices: list(text), noise: list((item) => item) })) } : { seed }),
});

/** Of a model only what predictions need is read; the rest is train's account of itself. */
function model(value, name) {
  require_(isObject(value) && Array.isArray(value.trees), `${name} must be a result of train`);
  const read = record({ splits: list(text), values: list(returned, 1), beta: returned });
  return value.trees.map((tree) => {
    require_(isObject(tree), 'a tree must be an object');
    const { splits, values, beta } = tree;
    return read({ splits, values, beta }, 'tree');
  });
}

function nodeBudget(a) {
  require_(a.level < a.depth, 'level must be below depth');
  return mechanisms.nodeBudget(a.rule, a.epsilon, a.beta_tree, a.trees, a.depth, a.level);
}

function leafScale(a) {
  const budget = mechanisms.leafBudget(a.epsilon, a.beta_tree, a.trees);
  require_(!budget.isZero(), 'beta_tree leaves no budget for the leaves');
  return mechanisms.leafScale(a.rule, a.relation, budget, a.leaves, a.bound, a.weight_bound);
}

function splitScores(a) {
  require_(a.rows.every(({ x }) => x.length === a.rows[0].x.length), 'rows of different widths');
  const width = a.rows.length ? a.rows[0].x.length : Infinity;
  const scores = learner.splitScores(a.alpha, a.rows, a.candidates.map((candidate) => learner.parseTest(candidate, width)));
  return Object.fromEntries(a.candidates.map((candidate, i) => [candidate, scores[i]]));
}

function sampleSplit(a) {
  const law = lawOf(a);
  const random = new mechanisms.Random(a.seed);
  return Array.from({ length: a.count }, () => a.scores[random.index(law)].candidate);
}

function sampleLaplace(a) {
  const random = new mechanisms.Random(a.seed);
  return Array.from({ length: a.count }, () => random.laplace(a.scale, a.grid));
}

function leverage(a) {
  require_(a.values.length === a.nets.length, 'values and nets must be of one length');
  return mechanisms.leverage(a.alpha, a.bound, a.m, a.values, a.nets);
}

function leafValueShape({ rule }) {
  return {
    rule: word(LEAF_RULES), alpha: probability, zeta: upToHalf, bound: positive, grid: positive, positive: nonNegative,
    negative: nonNegative, noise: record(rule === 'noisy_masses' ? { positive: real, negative: real } : { value: real }),
  };
}

function updateWeightShape({ rule }) {
  const own = rule === 'mirror' ? { weight: share, beta: real, value: real }
    : { margin: real, weight_bound: positive, grid: positive };
  return { rule: word(['mirror', 'accumulated']), alpha: probability, y: label, ...own };
}

function updateWeight(a) {
  return a.rule === 'mirror' ? mechanisms.mirrorWeight(a.alpha, a.y, a.weight, a.beta, a.value)
    : mechanisms.accumulatedWeight(a.alpha, a.y, a.margin, a.weight_bound, a.grid);
}

const OPERATIONS = {
  bayes_risk: onLoss({ u: probability }, (family, { u }) => family.risk(u)),
  partial_loss: onLoss({ y: label, u: probability }, (family, { y, u }) => family.partial(y === 1n ? u : Q.of(1n).sub(u))),
  link: onLoss({ u: probability }, (family, { u }) => family.link(u)),
  inverse_link: onLoss({ z: extended }, (family, { z }) => losses.inverseLink(family, z)),
  surrogate: onLoss({ z: extended }, (family, { z }) => losses.surrogate(family, z)),
  perspective: onLoss({ u: real, v: real }, (family, { u, v }) => losses.perspective(family, u, v)),
  leaf_risk: operation({ alpha: probability, positive: nonNegative, negative: nonNegative },
    (a) => losses.leafRisk(a.alpha, a.positive, a.negative)),
  sensitivity: operation({ rule: word(SENSITIVITY_RULES), alpha: probability, m: whole, weight_bound: positive },
    (a) => mechanisms.sensitivity(a.rule, a.alpha, a.m, a.weight_bound)),
  node_budget: operation({
    rule: word(BUDGET_RULES), epsilon: positive, beta_tree: share, trees: whole, depth: whole, level: integer(0n),
  }, nodeBudget),
  leaf_budget: operation({ epsilon: positive, beta_tree: share, trees: whole },
    (a) => mechanisms.leafBudget(a.epsilon, a.beta_tree, a.trees)),
  leaf_scale: operation({
    rule: word(LEAF_RULES), relation: word(RELATIONS), epsilon: positive, beta_tree: share, trees: whole,
    leaves: whole, bound: positive, weight_bound: positive,
  }, leafScale),
  calibrated_alpha: operation({ error: nonNegative, root_error: nonNegative },
    (a) => mechanisms.calibratedAlpha(a.error, a.root_error)),
  split_scores: operation({
    alpha: probability, rows: list(record({ x: list(code), y: label, w: nonNegative })), candidates: list(text),
  }, splitScores),
  split_law: operation(lawShape, (a) => {
    const law = lawOf(a);
    return Object.fromEntries(a.scores.map(({ candidate }, i) => [candidate, law[i]]));
  }),
  leaf_value: { shape: leafValueShape, run: (a) => mechanisms.leafValue(a.rule, a, a, a.noise) },
  leverage: operation({ alpha: probability, bound: positive, m: whole, values: list(real), nets: list(real) }, leverage),
  update_weight: { shape: updateWeightShape, run: updateWeight },
  sample_split: operation({ ...lawShape, seed, count: count(0, MOST_DRAWS) }, sampleSplit),
  sample_laplace: operation({ scale: positive, grid: positive, seed, count: count(0, MOST_DRAWS) }, sampleLaplace),
  train: { shape: trainShape, run: learner.train },
  predict: operation({ model, domain, rows: list(record({ x: list(code) })) }, learner.predict),
};

OPERATIONS.hello = operation({ protocol: whole }, ({ protocol }) => {
  require_(protocol === 1n, 'this program speaks protocol 1');
  const operations = Object.keys(OPERATIONS).filter((name) => name !== 'hello');
  return { name: 'privboost-port-js', version: '1.0', protocol: 1, operations };
});

/** A result for the wire: doubles, and exact texts beyond their range. */
function encode(value) {
  if (value instanceof Q) {
    const number = value.toNumber();
    return Number.isFinite(number) ? number : value.toString();
  }
  if (value === Infinity) return 'infinity';
  if (value === -Infinity) return '-infinity';
  if (Array.isArray(value)) return value.map(encode);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encode(item)])) : value;
}

function perform(op, args) {
  if (!Object.hasOwn(OPERATIONS, op)) throw new Unsupported(`no operation ${op}`);
  require_(isObject(args), 'args must be an object');
  const { shape, run } = OPERATIONS[op];
  return encode(run(record(shape(args))(args, 'args')));
}

/** The answer to one line, whatever is on it. */
function answer(line) {
  let id = null;
  try {
    const request = JSON.parse(line);
    require_(isObject(request), 'a request must be an object');
    id = request.id ?? null;
    return { id, result: perform(request.op, request.args) };
  } catch (problem) {
    // a RangeError is JavaScript's word for a number or a list that is too large for it
    const tooMuch = problem instanceof Unsupported || problem instanceof RangeError;
    return tooMuch ? { id, unsupported: problem.message } : { id, error: problem.message };
  }
}

function main() {
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on('line', (line) => {
    if (line.trim()) process.stdout.write(`${JSON.stringify(answer(line))}\n`);
  });
}

if (require.main === module) main();

module.exports = { answer };
