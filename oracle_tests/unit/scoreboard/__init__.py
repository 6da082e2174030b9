"""Tests of `scoreboard/`."""
