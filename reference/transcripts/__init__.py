"""Transcripts of private runs: written by the learner, and replayed by an auditor who has the sample."""

from __future__ import annotations

from pathlib import Path

from .errors import TranscriptError
from .header import FORMAT, VERSION
from .replay import Replay, replay
from .writer import write_transcript

SCHEMA = Path(__file__).with_name("schema.json")
"""The JSON Schema of one line."""

__all__ = ["FORMAT", "SCHEMA", "VERSION", "Replay", "TranscriptError", "replay", "write_transcript"]
