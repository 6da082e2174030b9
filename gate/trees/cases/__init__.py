"""The cases of the test vectors."""
