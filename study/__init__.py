"""The experiments of the paper, run again.

There are no experiments here yet.
"""
