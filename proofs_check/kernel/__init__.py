"""The trusted kernel: what a statement is, and the four checks that every certificate must pass."""
