"""Models and transcripts as files."""
