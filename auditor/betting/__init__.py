"""The betting test and its power."""
