"""The gate: an implementation in any language is asked what the paper defines, and judged label by label.

`privboost gate 'cmd:./impl --stdio'` or `privboost gate module:factory`.
docs/gate_protocol.md is the protocol. Nothing is imported here, so that the command line starts at once.
"""
