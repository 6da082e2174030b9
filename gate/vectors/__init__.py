"""The test vectors and how they are generated."""
