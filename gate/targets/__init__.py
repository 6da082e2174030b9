"""Implementations under test: Python objects and programs."""
