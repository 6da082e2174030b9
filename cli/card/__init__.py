"""The card of a release: what is guaranteed, what was tested, what nobody has said, and the sources."""
