"""The statistical auditor of privacy claims about any callable or command.

There is no auditor here yet.
"""
