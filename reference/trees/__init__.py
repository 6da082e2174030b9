"""Trees and their risks, weak learning, and noise-free induction."""
