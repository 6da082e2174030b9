"""Values of the protocol: readers of arguments, for the annotations of an adapter's functions, and results.

Readers check spelling only: a number that is out of its range is for the library to refuse.
"""

import math
import re
from fractions import Fraction
from inspect import signature

EXACT = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*|\.[0-9]+)?", re.ASCII)
SPECIAL = {"nan": math.nan, "infinity": math.inf, "-infinity": -math.inf}


def is_special(value):
    """Return whether a value is the name of not-a-number or of an infinity."""
    return isinstance(value, str) and value in SPECIAL


def exact(value):
    """Return an exact string such as '3/8' as a fraction."""
    if not isinstance(value, str) or not EXACT.fullmatch(value):
        raise ValueError(f"expected an exact string such as '3/8', got {value!r}")
    return Fraction(value)


def positive(value):
    """Return a fraction above 0, for a function that requires one and does not check it."""
    if exact(value) <= 0:
        raise ValueError(f"expected a number > 0, got {value!r}")
    return Fraction(value)


def factor(value):
    """Return a finite float above 0, which the adapter and not its library computes with."""
    return float(positive(value))


def share(value):
    """Return a finite float between 0 and 1, for a function that requires one and does not check it."""
    if not 0 < exact(value) < 1:
        raise ValueError(f"expected a number between 0 and 1, got {value!r}")
    return float(exact(value))


def real(value):
    """Return a float, which may be not-a-number or infinite."""
    return SPECIAL[value] if is_special(value) else float(exact(value))


def number(value):
    """Return an int for an integer, and a float for other numbers, for functions that take either."""
    return real(value) if is_special(value) or exact(value).denominator != 1 else int(exact(value))


def datum(value):
    """Return a number of the data, which is finite; what a library does with others is asked of its steps."""
    return number(str(exact(value)))


def decimal(value):
    """Return a number of the data as a float."""
    return float(exact(value))


def integer(value):
    """Return an integer."""
    if exact(value).denominator != 1:
        raise ValueError(f"expected an integer, got {value!r}")
    return int(exact(value))


def whole(value):
    """Return an integer above 0, for a function that requires one and does not check it."""
    return integer(str(positive(value)))


def natural(value):
    """Return an integer that is not negative, such as a seed or a number of draws."""
    if integer(value) < 0:
        raise ValueError(f"expected an integer >= 0, got {value!r}")
    return integer(value)


def cell(value):
    """Return a cell of a table as a float, or None for a missing one."""
    return None if value is None else real(value)


def string(value):
    """Return a string."""
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {value!r}")
    return value


def each(read):
    """Return a reader of lists."""

    def read_list(value):
        if not isinstance(value, list):
            raise ValueError(f"expected a list, got {value!r}")
        return [read(entry) for entry in value]

    return read_list


def object_of(read):
    """Return a reader of objects, such as the scores of candidates by their names."""

    def read_object(value):
        if not isinstance(value, dict):
            raise ValueError(f"expected an object, got {value!r}")
        return {name: read(entry) for name, entry in value.items()}

    return read_object


def one_of(*words):
    """Return a reader of the words that the library has, which `hello` lists as variants."""

    def read_word(value):
        if value not in words:
            raise ValueError(f"expected one of {', '.join(words)}, got {value!r}")
        return value

    read_word.words = words
    return read_word


REALS = "epsilon delta sigma scale threshold lower upper quantile constant at_epsilon rho mu rate"
READERS = {
    **dict.fromkeys(REALS.split(), real),
    **dict.fromkeys(("epsilons", "rhos", "mus", "candidates"), each(real)),
    **dict.fromkeys(("rows", "answers"), each(decimal)),
    **dict.fromkeys(("truth", "categories", "size", "times"), integer),
    **dict.fromkeys(("seed", "count"), natural),
    "scores": object_of(real),
    "value": datum,
    "sensitivity": number,
    "names": each(string),
    "monotonic": one_of("no", "yes"),
    "relation": one_of("add_remove", "exchange"),
}
"""The readers of arguments without an annotation."""


def readers_of(function, others=READERS):
    """Return the reader of every argument: its annotation, the words of its default, or the usual one."""
    readers = {}
    for name, parameter in signature(function).parameters.items():
        if parameter.annotation is not parameter.empty:
            readers[name] = parameter.annotation
        elif parameter.default is not parameter.empty:
            readers[name] = one_of(*parameter.default.split())
        else:
            readers[name] = others.get(name) or READERS[name]
    return readers


def words_of(function):
    """Return the words of a function's arguments that are words."""
    return {name: read.words for name, read in readers_of(function).items() if hasattr(read, "words")}


def plain(value):
    """Return a result as JSON values."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return next(name for name, special in SPECIAL.items() if str(special) == str(value))
    return str(value) if isinstance(value, Fraction) else value
