"""The Clopper-Pearson bound of privacy-estimates (Microsoft), at a threshold chosen from other scores.

Half of the scores choose the threshold, the other half are counted.
"""

from importlib.metadata import version

from bounds import best_threshold, serve, split
from privacy_estimates import AttackResults
from privacy_estimates.binomial_proportion import compute_eps_lo


def bound(left, right, level, delta):
    (left, left_counted), (right, right_counted) = split(left), split(right)
    threshold = best_threshold(left, right)
    positives = sum(score >= threshold for score in right_counted)
    false_positives = sum(score >= threshold for score in left_counted)
    counts = AttackResults(
        FN=len(right_counted) - positives,
        TN=len(left_counted) - false_positives,
        TP=positives,
        FP=false_positives,
    )
    return compute_eps_lo(counts, delta=delta, alpha=level, method="beta")


serve("privacy-estimates beta", version("privacy-estimates"), bound)
