"""Tests of `fast/`."""
