"""Helpers of our own tests."""
