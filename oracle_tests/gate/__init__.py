"""The gate: test an implementation in any language against the paper, label by label.

`privboost gate 'cmd:./impl --stdio'` or `privboost gate module:factory`.
docs/gate_protocol.md is the protocol. Nothing is imported here, so that the command line starts at once.
"""
