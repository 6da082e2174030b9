"""The checks of the profile besides those of single values."""
