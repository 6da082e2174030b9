"""The flags of the test vectors: each names a common mistake, with a one-line hint."""

from __future__ import annotations

from privboost.auditor.inputs.classes import HOSTILE
from privboost.gate.profile import PublishedBug

FLAGS: dict[str, str] = {
    f"row-{key.replace('_', '-')}": f"a row or a data set of this class: {each.meaning}"
    for key, each in HOSTILE.items()
} | {
    "bounded-range": "an exponential mechanism of range epsilon costs epsilon^2 / 8 in zCDP, and less in all",
    "categories": "the probabilities depend on the number of categories",
    "classic-range": "the classic formula for sigma holds for epsilon < 1 only",
    "clipped": "greater results are clipped to this number, which comes for several requests",
    "composition": "the budgets of all mechanisms add up: none is forgotten, none is divided",
    "continuous-for-discrete": "the delta of discrete noise is not that of continuous noise",
    "conversion": "the conversion to epsilon at delta has a wrong sign, logarithm or root",
    "domain": "an argument outside its range has no value: refuse it with an error",
    "draws-repeated": "draws come once: no seed is cut, no generator starts again, no answer is kept",
    "earlier-requests": "a draw depends on no request and on no draw before it",
    "epsilon-ignored": "the noise does not depend on epsilon",
    "factor-two": "a factor 2 is missing or one too many",
    "far-scores": "subtract the greatest score before the exponentials, which overflow or vanish",
    "gdp": "mu of normal noise is sensitivity / sigma",
    "group": "a group of k rows costs k epsilon, and more than k times delta",
    "half-the-noise": "the noise is half of what epsilon and the sensitivity need",
    "huge": "great numbers must not overflow where the result does not",
    "infinity": "an infinite number is refused where no limit is defined",
    "low-bits": "round the sum of value and noise to a grid that depends on the scale of the noise alone",
    "lost-row": "a row is left out, or one too many is counted",
    "missing-argument": "a request without an argument that the operation needs is refused",
    "monotonic": "the 2 in the exponent is left out for monotonic scores, and only for these",
    "nan": "not-a-number is refused as a parameter, never computed with",
    "nested-argument": "missing and unknown members of objects are refused, too",
    "no-list": "an object in place of a list is refused",
    "no-number": "a string, true, null or a list in place of a number is refused",
    "no-string": "a number or null in place of a string is refused",
    "noise-left-out": "every draw has noise, whatever the arguments and the draws before are",
    "noise-of-scores": "the scores of noisy max get noise of another kind",
    "one-direction": "a row that is added and one that is removed have different losses: take the greater",
    "one-tenth-less": "the noise is a tenth less than what it must be",
    "other-result": "the step has another result, also where all rows are ordinary",
    "permute-and-flip": "permute-and-flip is another law than the exponential mechanism",
    "quantile": "the quantile q has q m rows below it, not (1 - q) m",
    "range-end": "the end of a closed range belongs to it, and so does any number inside an open one",
    "relation": "the sensitivity is that of the other relation",
    "released-too-often": "a category of one row is released with a probability above delta",
    "repeated": "an answer depends on its own arguments, on all of them and on nothing that was asked before",
    "rounded": "continuous noise that is rounded has not the law of discrete noise",
    "saturated": "a number beyond the integers of a type must not become the last of them",
    "scale-for-deviation": "the scale of Laplace noise is taken for its standard deviation",
    "score-sign": "a greater score is more likely",
    "sensitivity-ignored": "the noise does not depend on the sensitivity",
    "sensitivity-squared": "the noise is proportional to the sensitivity, not to its square",
    "shape": "the law has the right shape, successive draws and columns are independent",
    "shifted": "the noise has the mean 0",
    "size-of-noise": "the noise of a mean is divided by the number of rows, once",
    "spelling": "an integer is its value: 8/2 and 4.0 are 4, or are refused, but are no other number",
    "subsampling": "a subsample amplifies privacy by log(1 + q (e^epsilon - 1)), in its own relation",
    "swapped-bounds": "bounds in the wrong order are refused",
    "tail": "small deltas come from tails: do not compute 1 - cdf",
    "threshold": "the threshold is 1 + log(1 / (2 delta)) / epsilon at least",
    "too-little-noise": "the standard deviation is too small for (epsilon, delta)",
    "twice-the-noise": "the noise is twice of what epsilon and the sensitivity need",
    "unknown-argument": "an argument that the operation does not have is refused, not ignored",
    "unknown-word": "a word that the protocol does not have is refused",
    "variance-for-deviation": "sigma is a standard deviation, not a variance",
    "zcdp": "rho of normal noise is (sensitivity / sigma)^2 / 2",
}

_SMARTNOISE, _CORE, _OPENDP = "opendp/smartnoise-sdk", "opendp/smartnoise-core", "opendp/opendp"
_DIFFPRIVLIB, _GOOGLE = "IBM/differential-privacy-library", "google/differential-privacy"
_CARDINALITY = "world-federation-of-advertisers/cardinality_estimation_evaluation_framework"
BUGS: dict[str, tuple[PublishedBug, ...]] = {
    "classic-range": (
        PublishedBug(_SMARTNOISE, 462, "the classic sigma at epsilon > 1"),
        PublishedBug("uvm-plaid/programming-dp", 45, "the classic sigma for every epsilon", "commit fcbbef8"),
        PublishedBug(_CARDINALITY, 105, "the classic sigma for every epsilon", "pull request 114"),
    ),
    "too-little-noise": (
        PublishedBug(
            _CORE,
            316,
            "a wrong sign in the analytic sigma, and a wrong square",
            "pull request 315",
        ),
    ),
    "size-of-noise": (
        PublishedBug(_CORE, 356, "the sensitivity of a mean under add/remove has the number of rows"),
        PublishedBug(
            "DataResponsibly/DataSynthesizer", 34, "counts get the noise of shares, divided by the rows"
        ),
    ),
    "sensitivity-ignored": (
        PublishedBug(
            _DIFFPRIVLIB, 105, "the lower bound stands for both bounds, so that the sensitivity is 0"
        ),
        PublishedBug(_DIFFPRIVLIB, 104, "the same bound twice, and a budget that two steps share"),
    ),
    "row-integer-limits": (
        PublishedBug(_OPENDP, 2925, "inner sums of trees wrap at the limits of integers"),
        PublishedBug(_OPENDP, 178, "bounded sums overflow", "pull request 179"),
        PublishedBug(_GOOGLE, 40, "the sum of a bounded mean overflows"),
        PublishedBug("OpenMined/PySyft", 6954, "sums overflow 32 bits"),
    ),
    "row-at-bounds": (PublishedBug(_OPENDP, 314, "half of an odd range is rounded down"),),
    "row-magnitudes": (
        PublishedBug(_OPENDP, 2923, "one row changes how the mean is rounded, and so all deviations"),
    ),
    "conversion": (PublishedBug("tensorflow/privacy", 166, "epsilon 0 where the divergence is small"),),
    "composition": (
        PublishedBug(
            _SMARTNOISE, 621, "a logarithm is missing in the composition of an odometer", "pull request 624"
        ),
    ),
    "factor-two": (PublishedBug(_GOOGLE, 378, "replace-one noise is taken for that of add/remove"),),
    "threshold": (
        PublishedBug(
            _SMARTNOISE,
            204,
            "the threshold of Laplace noise for normal noise",
            "pull request 211",
        ),
    ),
    "released-too-often": (
        PublishedBug(_GOOGLE, 101, "the threshold is cut to an integer", "pull request 101"),
        PublishedBug(_OPENDP, 2922, "delta leaves out counts that are at the threshold and are released"),
    ),
    "far-scores": (
        PublishedBug(_DIFFPRIVLIB, 107, "all exponentials of scores are 0, and an error tells of it"),
        PublishedBug(_SMARTNOISE, 572, "quantiles fail from some number of equal rows on"),
    ),
    "noise-left-out": (
        PublishedBug("NVIDIA/NVFlare", 343, "some values above the threshold are released without noise"),
    ),
    "low-bits": (
        PublishedBug(_DIFFPRIVLIB, 19, "digits of Laplace noise tell the value"),
        PublishedBug("meta-pytorch/opacus", 616, "digits of sums tell the value, also in secure mode"),
        PublishedBug(_OPENDP, 941, "a threshold is compared with floating-point noise", "pull request 2134"),
    ),
}
"""Published bugs of libraries, by the flag of their mistake."""
