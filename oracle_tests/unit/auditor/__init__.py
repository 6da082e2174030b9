"""Tests of `auditor/`."""
