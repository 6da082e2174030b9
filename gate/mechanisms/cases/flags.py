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
    "epsilon-ignored": "the noise does not depend on epsilon",
    "factor-two": "a factor 2 is missing or one too many",
    "gdp": "mu of normal noise is sensitivity / sigma",
    "group": "a group of k rows costs k epsilon, and more than k times delta",
    "half-the-noise": "the noise is half of what epsilon and the sensitivity need",
    "huge": "great numbers must not overflow where the result does not",
    "infinity": "an infinite number is refused where no limit is defined",
    "lost-row": "a row is left out, or one too many is counted",
    "missing-argument": "a request without an argument that the operation needs is refused",
    "monotonic": "the 2 in the exponent is left out for monotonic scores, and only for these",
    "nan": "not-a-number is refused as a parameter, never computed with",
    "nested-argument": "missing and unknown members of objects are refused, too",
    "no-list": "an object in place of a list is refused",
    "no-number": "a string, true, null or a list in place of a number is refused",
    "no-string": "a number or null in place of a string is refused",
    "one-direction": "a row that is added and one that is removed have different losses: take the greater",
    "one-tenth-less": "the noise is a tenth less than what it must be",
    "permute-and-flip": "permute-and-flip is another law than the exponential mechanism",
    "quantile": "the quantile q has q m rows below it, not (1 - q) m",
    "range-end": "the end of a closed range belongs to it, and so does any number inside an open one",
    "relation": "the sensitivity is that of the other relation",
    "released-too-often": "a category of one row is released with a probability above delta",
    "repeated": "an answer depends on its own arguments, on all of them and on nothing that was asked before",
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
_DIFFPRIVLIB = "IBM/differential-privacy-library"
BUGS: dict[str, tuple[PublishedBug, ...]] = {
    "classic-range": (
        PublishedBug(_SMARTNOISE, 462, "the classic sigma at epsilon > 1"),
        PublishedBug("uvm-plaid/programming-dp", 45, "the classic sigma for every epsilon"),
    ),
    "too-little-noise": (
        PublishedBug(_CORE, 316, "a wrong sign in the analytic sigma, and a square that was not meant"),
    ),
    "size-of-noise": (
        PublishedBug(_CORE, 356, "the sensitivity of a mean under add/remove has the number of rows"),
    ),
    "sensitivity-ignored": (
        PublishedBug(
            _DIFFPRIVLIB, 105, "the lower bound stands for both bounds, so that the sensitivity is 0"
        ),
    ),
    "row-integer-limits": (
        PublishedBug(_OPENDP, 2925, "inner sums of trees wrap at the limits of integers"),
        PublishedBug(_OPENDP, 178, "bounded sums overflow"),
        PublishedBug("google/differential-privacy", 40, "the sum of a bounded mean overflows"),
    ),
    "row-at-bounds": (PublishedBug(_OPENDP, 314, "half of an odd range is rounded down"),),
    "conversion": (PublishedBug("tensorflow/privacy", 166, "epsilon 0 where the divergence is small"),),
    "factor-two": (
        PublishedBug("google/differential-privacy", 378, "replace-one noise is taken for that of add/remove"),
    ),
}
"""Published bugs of libraries, by the flag of their mistake."""
