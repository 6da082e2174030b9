"""The commands of `privboost`, one module each.

The docstring of a module is the help of its command, and the first line is its entry in `privboost --help`.
`add_arguments` declares the options, and `run` returns the result as a table.
"""
