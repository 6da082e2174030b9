"""Targets of the gate and the auditor: parse their names, load them, run them, and exchange JSON lines."""
