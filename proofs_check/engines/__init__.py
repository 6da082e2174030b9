"""Engines: each looks for a reason to believe a claim, and says what believing it rests on."""
