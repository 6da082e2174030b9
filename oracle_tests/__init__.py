"""The conformance suite: tests keyed by the labels of the paper, test vectors, and the pytest plugin."""
