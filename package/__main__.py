"""Run the command line as `python -m privboost`."""

import sys

from privboost.cli import main

sys.exit(main())
