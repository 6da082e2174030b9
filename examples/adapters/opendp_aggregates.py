"""Noisy aggregates of OpenDP: its steps say how far a row moves a result, and noise is scaled to that."""

from functools import partial

import opendp.prelude as dp
from opendp_spaces import space
from opendp_steps import make_clamp
from values import each, natural, whole

CHANGES = {"add_remove": 1, "exchange": 2}
KINDS = {"laplace": float, "geometric": int}


def release(step, rows, epsilon, change=1):
    return partial(step >> dp.m.then_laplace(step.map(change) / epsilon), rows)


def count(rows, epsilon, noise="laplace geometric"):
    return release(space(rows) >> dp.t.then_count(TO=KINDS[noise]), rows, epsilon)


def bounded_sum(rows, lower, upper, epsilon, relation="add_remove exchange"):
    if relation == "exchange" and not rows:
        raise NotImplementedError("no rows to exchange")
    data = make_clamp(rows, lower, upper, len(rows) if relation == "exchange" else None)
    return release(data >> dp.t.then_sum(), rows, epsilon, CHANGES[relation])


def bounded_mean(rows, lower, upper, epsilon):
    return release(make_clamp(rows, lower, upper, len(rows)) >> dp.t.then_mean(), rows, epsilon, 2)


def histogram(
    rows: each(natural), categories: whole, epsilon, relation="add_remove exchange", noise="laplace geometric"
):
    kind, codes = KINDS[noise], list(range(categories))
    counts = dp.t.then_count_by_categories(codes, null_category=False, MO=dp.L1Distance[kind], TOA=kind)
    return release(space(rows, int) >> counts, rows, epsilon, CHANGES[relation])


def stable_histogram(rows: each(natural), epsilon, delta):
    step = space(rows, int) >> dp.t.then_count_by()

    def chain(threshold):
        return step >> dp.m.then_laplace_threshold(scale=1 / epsilon, threshold=threshold)

    spent = chain(1).map(1)[0]
    measurement = chain(dp.binary_search_param(chain, d_in=1, d_out=(spent, delta), T=int))
    return lambda: list(measurement(rows))


AGGREGATES = [count, bounded_sum, bounded_mean, histogram, stable_histogram]
