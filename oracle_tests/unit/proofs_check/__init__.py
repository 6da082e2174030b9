"""Tests of `proofs_check/`."""
