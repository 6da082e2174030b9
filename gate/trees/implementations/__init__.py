"""The learners of this project as implementations of the protocol."""
