"""Programs of the Makefile: `python -m tools.NAME` at the top of the checkout. They are not installed."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The top of the checkout."""
