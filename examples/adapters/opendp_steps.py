"""The steps of OpenDP. Missing rows are in none of their domains, so that they are not asked about them."""

import opendp.prelude as dp
from opendp_spaces import ROWS, space
from values import each, string


def impute(rows, constant):
    if None in rows:
        raise NotImplementedError("missing rows")
    return dp.t.make_impute_constant(dp.vector_domain(dp.atom_domain(T=float, nan=True)), ROWS, constant)(
        rows
    )


def texts(make, **given):
    return make(dp.vector_domain(dp.atom_domain(T=str)), ROWS, **given)


def count_distinct(rows: each(string)):
    return texts(dp.t.make_count_distinct)(rows)


def cast(rows: each(string)):
    return texts(dp.t.make_cast_default, TOA=int)(rows)


def histogram(rows: each(string), names):
    return texts(dp.t.make_count_by_categories, categories=names, null_category=False)(rows)


def make_clamp(rows, lower, upper, size=None):
    return space(rows, size=size) >> dp.t.then_clamp((lower, upper))


def resize(rows, size, constant):
    if len(rows) > size:
        raise NotImplementedError("rows that are taken by chance")
    return (space(rows) >> dp.t.then_resize(size, constant))(rows)


STEPS = {
    "clamp": lambda rows, lower, upper: make_clamp(rows, lower, upper)(rows),
    "impute": impute,
    "resize": resize,
    "count": lambda rows: (space(rows) >> dp.t.then_count())(rows),
    "count_distinct": count_distinct,
    "sum": lambda rows, lower, upper: (make_clamp(rows, lower, upper) >> dp.t.then_sum())(rows),
    "mean": lambda rows, lower, upper, size: (make_clamp(rows, lower, upper, size) >> dp.t.then_mean())(rows),
    "histogram": histogram,
    "cast": cast,
}
