"""Our own tests, by folder."""
