"""The commands of the command line, one module each.

A module's first line is the command's help; `add_arguments` declares its options and `run` returns its table.
"""
