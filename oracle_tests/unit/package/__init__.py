"""Tests of `package/`."""
