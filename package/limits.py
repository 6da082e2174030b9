"""Words and limits that the command line states and other rooms enforce; this module imports nothing."""

EXCHANGE, ADD_REMOVE = "exchange", "add_remove"
RELATIONS = (EXCHANGE, ADD_REMOVE)
"""Neighbouring relations: one row is exchanged for another, or one row is added or removed."""

ESTIMATOR = "estimator:"
"""How a target string of an estimator begins."""

CONFIDENCE = 0.95
"""Confidence of an audit by default."""

GREATEST_NULL = 16
"""Greatest epsilon that an audit tests."""

MOST_IN_A_GROUP = 64
"""Greatest number of rows in which the inputs of a pair may differ."""
