"""Record and replay here and by dp-recorder, on the same mechanisms.

    python benchmarks/recorders.py privboost
    PYTHONPATH=dp-recorder/src python benchmarks/recorders.py dp-recorder

dp-recorder (github.com/ObliviousAI/dp-recorder) is not on the package index; it needs dp-accounting 0.4 and
Python below 3.12. Its mechanism is annotated by hand, as its README says; ours is the same function without.
What passes its deterministic checks is sampled by its distributional audit, 10,000 samples of each release.
"""

from __future__ import annotations

import argparse
import importlib
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from privboost.auditor import replay

Noise = Callable[..., Any]
SAMPLES, DELTA = 10_000, 1e-5
ROW, MORE = ([1.0, 0.5], [0.0, 0.5]), ([0.5, 1.0], [0.5])


def laplace(data: Any, sensitivity: float, epsilon: float) -> Any:
    """Add Laplace noise to an array."""
    return data + np.random.laplace(0, sensitivity / epsilon, size=np.shape(data))


def _sum(rows: Any, noise: Noise) -> Any:
    return noise(np.array([float(sum(rows))]), 1.0, 1.0)


def _by_class(rows: Any, noise: Noise) -> Any:
    parts = [[row for row in rows if (row > 0.75) == label] for label in (False, True)]
    return np.concatenate([noise(np.array([sum(part)]), 2.0, 1.0) if part else [0.0] for part in parts])


def _release_twice(rows: Any, noise: Noise) -> Any:
    return np.concatenate([_sum(rows, noise), noise(np.array([rows[0]]), 1.0, 1.0)])


def _seed_and_sum(rows: Any, noise: Noise) -> Any:
    np.random.seed(0)
    return _sum(rows, noise)


MECHANISMS: dict[str, tuple[Callable[[Any, Noise], Any], Any]] = {
    "sound sum": (_sum, ROW),
    "sound histogram": (
        lambda rows, noise: noise(np.histogram(rows, 4, (0, 1))[0].astype(float), 2.0, 1.0),
        ROW,
    ),
    "rows not clipped": (_sum, ([5.0], [0.0])),
    "NaN passes the clipping": (lambda rows, noise: _sum(np.clip(rows, 0, 1), noise), ([math.nan], [0.5])),
    "no noise for an empty class": (_by_class, ([0.5, 1.0], [0.5, 0.5])),
    "a count without noise": (
        lambda rows, noise: np.concatenate([_sum(rows, noise), [float(len(rows))]]),
        MORE,
    ),
    "no noise at all": (lambda rows, _: np.array([sum(rows)]), ROW),
    "sensitivity from the data": (
        lambda rows, noise: noise(np.array([float(sum(rows))]), max(rows), 1.0),
        ROW,
    ),
    "budget used twice": (_release_twice, ROW),
    "half of the noise, by a factor": (
        lambda rows, noise: sum(rows) + 0.5 * noise(np.zeros(1), 1.0, 1.0),
        ROW,
    ),
    "fixed seed": (_seed_and_sum, ROW),
}


def try_ours(function: Callable[[Any, Noise], Any], pair: Any) -> str:
    """Return what a replay finds."""
    result = replay(lambda rows, _: function(rows, laplace), pair, epsilon=1.0, seed=1)
    kinds = ", ".join(f"{finding.kind} at {finding.site}" for finding in result.pairs[0].findings)
    return f"{result.verdict} {kinds} ({result.pairs[0].runs} runs)"


def _distance(left: Any, right: Any) -> float:
    distance = float(np.abs(left - right).sum())
    return math.inf if math.isnan(distance) else distance


def try_dp_recorder(function: Callable[[Any, Noise], Any], pair: Any) -> str:
    """Return what dp-recorder says of the annotated mechanism."""
    peer: Any = importlib.import_module("dp_recorder.auditing.audit_primitives")
    annotate = peer.audit_spec(
        kind="laplace", input_arg="data", sensitivity_arg="sensitivity", metric_fn=_distance
    )
    noise, auditor = annotate(laplace), peer.Auditor()
    try:
        with auditor:
            function(pair[0], noise)
        auditor.set_replay()
        with auditor:
            function(pair[1], noise)
        auditor.validate_records()
    except (AssertionError, ValueError) as error:
        return f"finding: {' '.join(str(error).split())[:70]}"
    np.random.seed(1)
    auditor.run_distributional_audit(n_samples=SAMPLES, alpha=0.95)
    auditor.compute_overall_pld()
    epsilon = float(auditor.get_overall_current_guarantee(delta=DELTA))
    return f"passes; epsilon {epsilon:.2f} by {SAMPLES:,} samples"


def main() -> None:
    """Try all mechanisms with one of the two tools."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tool", choices=("privboost", "dp-recorder"))
    options = parser.parse_args()
    attempt = try_ours if options.tool == "privboost" else try_dp_recorder
    for name, (function, pair) in MECHANISMS.items():
        started = time.process_time()
        said = attempt(function, pair)
        print(f"{name:32}  {said}, {time.process_time() - started:.3f} CPU s", flush=True)


if __name__ == "__main__":
    main()
