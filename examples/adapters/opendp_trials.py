"""Steps and releases of OpenDP with a published mistake each; the number is that of the issue.

Each object states its map or its epsilon, which `opendp.toml` repeats as the claim.
"""

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")

INTEGERS = dp.atom_domain(T=int)

deviations_2923 = dp.t.make_sum_of_squared_deviations(
    dp.vector_domain(dp.atom_domain(bounds=(2.0**50, 2.0**50 + 1), nan=False), size=1024),
    dp.symmetric_distance(),
)
tree_2924 = dp.t.make_b_ary_tree(
    dp.vector_domain(INTEGERS, size=4), dp.l2_distance(T=int), leaf_count=4, branching_factor=4
)
tree_2925 = dp.t.make_b_ary_tree(
    dp.vector_domain(INTEGERS, size=4), dp.l1_distance(T=int), leaf_count=4, branching_factor=2
)
metric_2926 = dp.t.make_metric_bounded(dp.vector_domain(INTEGERS, size=8), dp.insert_delete_distance())
sum_2935 = dp.t.make_user_transformation(
    input_domain=dp.vector_domain(dp.atom_domain(T=float, nan=True)),
    input_metric=dp.symmetric_distance(),
    output_domain=dp.atom_domain(T=float, nan=False),
    output_metric=dp.absolute_distance(T=float),
    function=lambda rows: sum(min(max(row, 0.0), 1.0) for row in rows),
    stability_map=float,
) >> dp.m.then_laplace(scale=1.0)


def count(expression, kinds):
    """Return a function that releases the number of values in 16 rows, which is public."""
    atoms = {"f64": pl.Float64, "i64": pl.Int64}
    columns = [dp.series_domain(key, dp.option_domain(dp.atom_domain(T=kind))) for key, kind in kinds.items()]
    schema = {key: atoms[kind] for key, kind in kinds.items()}
    release = dp.m.make_private_lazyframe(
        dp.with_margin(dp.lazyframe_domain(columns), dp.polars.Margin(max_length=16, invariant="lengths")),
        dp.frame_distance(dp.symmetric_distance()),
        dp.max_divergence(),
        pl.LazyFrame(schema=schema).select(expression.count().dp.noise()),
        global_scale=1.0,
    )
    return lambda rows: release(pl.LazyFrame(rows, schema=schema, orient="row")).collect().item()


cast_2938 = count(pl.col("x").fill_null(0.0).cast(pl.Int64, strict=False), {"x": "f64"})
cut_2939 = count(pl.col("x").fill_null(0.0).cut([1.5]), {"x": "f64"})
remainders = count(pl.col("n").fill_null(0) % pl.col("m").fill_null(0), {"n": "i64", "m": "i64"})


def modulo_2940(rows):
    """Count the remainders of 1 divided by each row."""
    return remainders([(1, row) for row in rows])


def make_truncated_2949():
    """Return a count of rows of users, of which each was cut to one row in each of 100 groups."""
    counts = (
        pl.LazyFrame(schema={"id": pl.Int64, "g": pl.Int64})
        .filter(pl.int_range(pl.len()).over("id", "g") < 1)
        .filter(pl.struct("g").rank("dense").over("id") < 101)
        .with_columns(g=pl.lit(0, dtype=pl.Int64))
        .group_by("g")
        .agg(dp.len(scale=20.0))
    )
    columns = [dp.series_domain(key, dp.atom_domain(T="i64")) for key in ("id", "g")]
    return dp.m.make_private_lazyframe(
        dp.lazyframe_domain(columns),
        dp.symmetric_id_distance(identifier=pl.col("id")),
        dp.zero_concentrated_divergence(),
        pl.LazyFrame({"g": [0]}).join(counts, on="g", how="left"),
    )


truncated = make_truncated_2949()


def truncated_2949(rows):
    """Release the count; rows are pairs of user and group."""
    frame = pl.LazyFrame(rows, schema={"id": pl.Int64, "g": pl.Int64}, orient="row")
    return truncated(frame).collect().rows()


eigenvalues = (
    dp.numpy.array2_domain(
        norm=1.0, p=2, origin=np.array([10.0, 0.0]), num_columns=2, size=6, nan=False, T=float
    ),
    dp.symmetric_distance(),
) >> dp.sklearn.decomposition.then_private_np_eigendecomposition(eigvals_epsilon=0.5, eigvecs_epsilons=[0.5])


def eigenvalues_2952(rows):
    """Release eigenvalues and an eigenvector of rows within a distance of 1 of (10, 0)."""
    return eigenvalues(np.array(rows))
