"""Objects of OpenDP 0.16.0 with a published mistake each, which are found without naming a pair or a value.

    privboost stability examples/audit/opendp_issues.py:deviations_2923
    privboost audit examples/audit/opendp_issues.py:cast_2938

An object states its own inputs, metrics and map. The number in its name is that of the issue at
github.com/opendp/opendp/issues. `make peers` makes an environment with OpenDP and runs them all.
"""

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")

INTEGERS = dp.atom_domain(T=int)

# Transformations, for `privboost stability`.

# The map leaves out that the mean is rounded.
deviations_2923 = dp.t.make_sum_of_squared_deviations(
    dp.vector_domain(dp.atom_domain(bounds=(2.0**50, 2.0**50 + 1), nan=False), size=1024),
    dp.symmetric_distance(),
)

# Changes of several leaves add up in a node, also in L2.
tree_2924 = dp.t.make_b_ary_tree(
    dp.vector_domain(INTEGERS, size=4), dp.l2_distance(T=int), leaf_count=4, branching_factor=4
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


ATOMS = {"f64": pl.Float64, "i64": pl.Int64}


def release(query, kinds, margin=None, metric=None, measure=None, **options):
    """Return a measurement of frames; `kinds` has the domain and the type of each column."""
    domain = dp.lazyframe_domain([dp.series_domain(key, kind) for key, (kind, _) in kinds.items()])
    return dp.m.make_private_lazyframe(
        domain if margin is None else dp.with_margin(domain, margin),
        metric or dp.frame_distance(dp.symmetric_distance()),
        measure or dp.max_divergence(),
        query(pl.LazyFrame(schema={key: kind for key, (_, kind) in kinds.items()})),
        **options,
    )


def count(expression, kinds):
    """Return a measurement that counts values in 16 rows, whose number is public."""
    return release(
        lambda frame: frame.select(expression.count().dp.noise()),
        {key: (dp.option_domain(dp.atom_domain(T=kind)), ATOMS[kind]) for key, kind in kinds.items()},
        dp.polars.Margin(max_length=16, invariant="lengths"),
        global_scale=1.0,
    )


# A cast that fails makes a null, which is not counted.
cast_2938 = count(pl.col("x").fill_null(0.0).cast(pl.Int64, strict=False), {"x": "f64"})

# NaN is in no interval and becomes a null, which is not counted.
cut_2939 = count(pl.col("x").fill_null(0.0).cut([1.5]), {"x": "f64"})

# The remainder of a division by 0 is a null, which is not counted.
modulo_2940 = count(pl.col("n").fill_null(0) % pl.col("m").fill_null(0), {"n": "i64", "m": "i64"})

NUMBER = {"x": (dp.atom_domain(T=float, nan=False), pl.Float64)}

# A column of 32-bit floats is taken for one of 64 bits, and a running sum overflows.
sum_2941 = release(
    lambda frame: frame.select(
        pl.col("x").cast(pl.Float32).fill_nan(0.0).clip(-1e38, 1e38).sum().dp.noise(scale=1e38)
    ),
    NUMBER,
    dp.polars.Margin(max_length=11),
)

# The codes of bins follow the order in which bins occur in the data.
codes_2944 = release(
    lambda frame: frame.select(pl.col("x").cut([1.0]).to_physical().dp.sum((0, 1), scale=1.0)),
    NUMBER,
    dp.polars.Margin(max_length=101),
)


def merge_groups(frame):
    """Return a query that bounds the groups of a user, and then makes one group of all."""
    counts = (
        frame.filter(pl.int_range(pl.len()).over("id", "g") < 1)
        .filter(pl.struct("g").rank("dense").over("id") < 101)
        .with_columns(g=pl.lit(0, dtype=pl.Int64))
        .group_by("g")
        .agg(dp.len(scale=1.0, signed=True))
    )
    return pl.LazyFrame({"g": [0]}).join(counts, on="g", how="left")


# The bound on the groups of a user is kept, though the column of groups is replaced.
users_2949 = release(
    merge_groups,
    {key: (dp.atom_domain(T="i64"), pl.Int64) for key in ("id", "g")},
    metric=dp.symmetric_id_distance(identifier=pl.col("id")),
    measure=dp.zero_concentrated_divergence(),
)

# The origin of rows is dropped, and the bound on their norm is kept.
eigenvalues_2952 = (
    dp.numpy.array2_domain(
        norm=1.0, p=2, origin=np.array([10.0, 0.0]), num_columns=2, size=6, nan=False, T=float
    ),
    dp.symmetric_distance(),
) >> dp.sklearn.decomposition.then_private_np_eigendecomposition(eigvals_epsilon=1.0, eigvecs_epsilons=[1.0])
