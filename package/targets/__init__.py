"""Implementations to be tested: how they are named, loaded, run as programs and asked over JSON lines."""
