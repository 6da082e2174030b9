"""Errors of targets: what another program did wrong, which is no verdict about its privacy."""

from privboost.errors import TargetError

__all__ = ["TargetError"]
