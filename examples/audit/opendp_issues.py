"""Objects of OpenDP 0.16.0 with a published mistake each, which are found without naming a pair or a value.

    privboost stability examples/audit/opendp_issues.py:deviations_2923
    privboost audit examples/audit/opendp_issues.py:cast_2938

An object states its own inputs, metrics and map. The number in its name is that of the issue at
github.com/opendp/opendp/issues. `make peers` makes an environment with OpenDP and runs them all.
"""

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib", "honest-but-curious")

INTEGERS = dp.atom_domain(T=int)

# Transformations, for `privboost stability`.

# The map leaves out that the mean is rounded.
deviations_2923 = dp.t.make_sum_of_squared_deviations(
    dp.vector_domain(dp.atom_domain(bounds=(2.0**50, 2.0**50 + 1), nan=False), size=1024),
    dp.symmetric_distance(),
)

# Sums of inner nodes wrap around at 2^31.
tree_2925 = dp.t.make_b_ary_tree(
    dp.vector_domain(INTEGERS, size=4), dp.l1_distance(T=int), leaf_count=4, branching_factor=2
)

# A row deleted and one inserted count as one row exchanged, though all rows between them move.
metric_2926 = dp.t.make_metric_bounded(dp.vector_domain(INTEGERS, size=8), dp.insert_delete_distance())

# Data of the right size are shuffled, longer ones are not.
resize_2927 = dp.t.make_resize(
    dp.vector_domain(INTEGERS), dp.insert_delete_distance(), size=6, constant=0, MO="InsertDeleteDistance"
)

# Measurements, for `privboost audit`.

# A user's own sum may be NaN, and noise is then added to 0 in its place.
sum_2935 = dp.t.make_user_transformation(
    input_domain=dp.vector_domain(dp.atom_domain(T=float, nan=True)),
    input_metric=dp.symmetric_distance(),
    output_domain=dp.atom_domain(T=float, nan=False),
    output_metric=dp.absolute_distance(T=float),
    function=lambda rows: sum(min(max(row, 0.0), 1.0) for row in rows),
    stability_map=float,
) >> dp.m.then_laplace(scale=1.0)


def count(expression, kinds):
    """Return a measurement that counts values in 16 rows, whose number is public."""
    atoms = {"f64": pl.Float64, "i64": pl.Int64}
    columns = [dp.series_domain(key, dp.option_domain(dp.atom_domain(T=kind))) for key, kind in kinds.items()]
    return dp.m.make_private_lazyframe(
        dp.with_margin(dp.lazyframe_domain(columns), dp.polars.Margin(max_length=16, invariant="lengths")),
        dp.frame_distance(dp.symmetric_distance()),
        dp.max_divergence(),
        pl.LazyFrame(schema={key: atoms[kind] for key, kind in kinds.items()}).select(
            expression.count().dp.noise()
        ),
        global_scale=1.0,
    )


# A cast that fails makes a null, which is not counted.
cast_2938 = count(pl.col("x").fill_null(0.0).cast(pl.Int64, strict=False), {"x": "f64"})

# NaN is in no interval and becomes a null, which is not counted.
cut_2939 = count(pl.col("x").fill_null(0.0).cut([1.5]), {"x": "f64"})

# The remainder of a division by 0 is a null, which is not counted.
modulo_2940 = count(pl.col("n").fill_null(0) % pl.col("m").fill_null(0), {"n": "i64", "m": "i64"})
