"""Targets of the gate: implementations that are Python objects or programs."""
