"""Checks that do not depend on a profile."""
