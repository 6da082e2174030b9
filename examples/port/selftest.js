'use strict';
// Values worked out by hand from the formulas of docs/gate_protocol.md. Run: node selftest.js

const assert = require('node:assert');
const { answer } = require('./port.js');

let done = 0;
const ask = (op, args) => answer(JSON.stringify({ id: 1, op, args }));

function near(actual, expected, what) {
  if (Array.isArray(expected)) return expected.forEach((item, i) => near(actual[i], item, what));
  if (typeof expected !== 'number') return assert.deepStrictEqual(actual, expected, what);
  return assert.ok(Math.abs(actual - expected) <= 2 ** -47 * Math.abs(expected), `${what}: ${actual}, not ${expected}`);
}

function check(op, args, expected) {
  near(ask(op, args).result, expected, `${op} ${JSON.stringify(args)}`);
  done += 1;
}

function refuses(op, args) {
  assert.ok('error' in ask(op, args), `${op} ${JSON.stringify(args)} must be refused`);
  done += 1;
}

// At u = 4/5 all square roots of the Mα-loss are rational: √(u(1-u)) = 2/5.
const half = { loss: 'm_alpha', alpha: '1/2' };
check('bayes_risk', { ...half, u: '1/5' }, 0.6);
check('partial_loss', { ...half, y: 1, u: '1/5' }, 2);
check('partial_loss', { ...half, y: -1, u: '1/5' }, 0.25);
check('partial_loss', { loss: 'zero_one', y: 1, u: '1/2' }, 1);
check('link', { ...half, u: '4/5' }, 1.75);
check('link', { loss: 'log', u: '8/9' }, 3);
check('link', { loss: 'matsushita', u: '0' }, '-infinity');
check('link', { loss: 'square', u: '1' }, 4);
check('inverse_link', { ...half, z: '7/4' }, 0.8);
check('inverse_link', { loss: 'log', z: '3' }, 8 / 9);
check('inverse_link', { loss: 'matsushita', z: '-1e100' }, 1e-200);
check('surrogate', { ...half, z: '7/4' }, 0.25);
check('surrogate', { ...half, z: '-7/4' }, 2);
check('surrogate', { loss: 'matsushita', z: '1e100' }, 1e-100);
check('perspective', { loss: 'square', u: '1', v: '4' }, 3);
check('perspective', { loss: 'square', u: '5', v: '4' }, '-infinity');

check('leaf_risk', { alpha: '1/2', positive: '4', negative: '1' }, 3);
check('sensitivity', { rule: 'printed', alpha: '1/2', m: '9', weight_bound: '1' }, 5);
check('sensitivity', { rule: 'sharp', alpha: '1/2', m: '10', weight_bound: '1/2' }, 2);
check('node_budget', { rule: 'printed', epsilon: '1', beta_tree: '1/2', trees: '2', depth: '3', level: '2' }, 1 / 48);
const scale = { epsilon: '1', beta_tree: '1/2', trees: '2', leaves: '8', bound: '10', weight_bound: '1/2' };
check('leaf_scale', { ...scale, rule: 'noisy_masses', relation: 'exchange' }, 4);
check('leaf_scale', { ...scale, rule: 'link_noise_clamp', relation: 'add_remove' }, 640);
check('calibrated_alpha', { error: '1', root_error: '0' }, 1);

const law = { scores: { a: '0', b: '-1', c: '-1e400' }, epsilon: '1', sensitivity: '1/2' };
const odds = Math.exp(-1);
check('split_law', { ...law, law: 'exponential' }, { a: 1 / (1 + odds), b: odds / (1 + odds), c: 0 });
assert.ok(Math.abs(ask('split_law', { ...law, law: 'permute_and_flip' }).result.b - odds / 2) < 1e-15);

const leaf = { alpha: '1', zeta: '0.0001', bound: '10', grid: '1/2' };
check('leaf_value', { ...leaf, rule: 'link_noise_clamp', positive: '4', negative: '1', noise: { value: '1/4' } }, 1.75);
check('leaf_value', { ...leaf, rule: 'link_clamp_noise', positive: '0', negative: '1', noise: { value: '1/4' } }, -9.75);
check('leaf_value', { ...leaf, rule: 'noisy_masses', positive: '3', negative: '2', noise: { positive: '1', negative: '-1' } }, 1.5);
check('leverage', { alpha: '1/2', bound: '2', m: '4', values: ['1', '-1'], nets: ['3', '-1'] }, 1 / 8);
check('update_weight', { rule: 'mirror', alpha: '1/2', y: -1, weight: '1/2', beta: '1', value: '7/4' }, 0.8);
check('update_weight', { rule: 'accumulated', alpha: '1/2', y: 1, margin: '-7/4', weight_bound: '1', grid: '1/4' }, 0.75);

// Two stumps on ten rows, eight of them right. The leaves of the first have proportions 1/5 and 4/5, so values ∓7/4; a row that is
// wrong then weighs 4/5, on the grid 3/4, and one that is right 1/5, on the grid one step. Second tree: proportions 3/7 and 4/7.
const row = (x, y) => ({ x: [x], y });
const zero = { positive: '0', negative: '0' };
const stump = { choices: ['x0 >= 1'], noise: [zero, zero] };
const run = {
  protocol: {
    alpha: 'schedule', split_law: 'exponential', sensitivity: 'sharp', node_budget: 'level', leaf: 'noisy_masses', beta: 'constant', relation: 'exchange',
  },
  parameters: {
    trees: '2', depth: '1', epsilon: '1', beta_tree: '1/2', bound: '2', zeta: '0.0001', alphas: ['1'], boost_alpha: '1/2', grid: '1/4',
  },
  domain: [{ kind: 'quantised', n_values: 2 }],
  rows: [...Array(4).fill(row(1, 1)), row(1, -1), row(0, 1), ...Array(4).fill(row(0, -1))],
};
const trained = ask('train', { ...run, tape: [stump, stump] }).result;
const later = 1 + 0.5 / Math.sqrt(12);
near(trained.trees.map((tree) => tree.values), [[-1.75, 1.75], [-later, later]], 'values');
near(trained.trees.map((tree) => tree.nodes[0].sensitivity), [3, 6], 'sensitivities');
assert.deepStrictEqual(trained.trees[1].masses, [{ positive: 0.75, negative: 1 }, { positive: 1, negative: 0.75 }]);
near(trained.trees.map((tree) => tree.scale), [4, 8], 'scales');
near(trained.total, 1, 'total');
check('predict', { model: trained, domain: run.domain, rows: [{ x: [1] }] }, [1.75 + later]);
assert.deepStrictEqual(ask('train', { ...run, seed: '1' }), ask('train', { ...run, seed: '1' }));
assert.notDeepStrictEqual(ask('train', { ...run, seed: '1' }), ask('train', { ...run, seed: '2' }));

refuses('bayes_risk', { loss: 'log', u: '3/2' });
refuses('bayes_risk', { loss: 'log', u: 'nan' });
refuses('bayes_risk', { loss: 'log', u: '1/2', v: '1' });
refuses('bayes_risk', { loss: 'm_alpha', u: '1/2' });
refuses('sensitivity', { rule: 'sharp', alpha: '1', m: '0', weight_bound: '1' });
refuses('train', run);
refuses('train', { ...run, seed: '1', rows: [row(2, 1)] });
refuses('train', { ...run, tape: [stump] });

process.stdout.write(`${done} checks passed\n`);
