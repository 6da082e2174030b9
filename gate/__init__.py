"""The gate: test an implementation in any language against the paper, label by label.

`privboost gate 'cmd:./impl --stdio'` or `privboost gate module:factory`.
The protocol is described in docs/gate_protocol.md. Nothing is imported here, to keep the command line fast.
"""
