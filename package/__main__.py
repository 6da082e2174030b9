"""Run the command line as `python -m privboost`."""

import sys

from .cli import main

sys.exit(main())
