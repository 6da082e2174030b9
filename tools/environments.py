"""`make adapters`: make the environments in which published libraries are asked, all or some of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from privboost.environments import make_environment
from privboost.progress import Watch
from privboost.scoreboard.libraries import read_libraries

from . import ROOT

ADAPTERS, ENVIRONMENTS = ROOT / "examples" / "adapters", ROOT / "build" / "adapters"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the environments of the libraries with these names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="names of libraries (default: all)")
    names = parser.parse_args(arguments).names
    for library in read_libraries(ADAPTERS):
        if library.requirements is not None and (not names or library.name in names):
            with Watch[str](lambda _, step: step) as watch:
                make_environment(library.requirements, ENVIRONMENTS / library.name, watch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
