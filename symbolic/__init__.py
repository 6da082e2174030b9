"""Derive the statements of the paper about losses with computer algebra, and compare them with the paper."""
