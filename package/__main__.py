"""Run the command line as `python -m privboost`."""

import sys

from privboost.cli.app import main

sys.exit(main())
