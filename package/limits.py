"""Words and limits that the command line states and other rooms enforce; this module imports nothing."""

EXCHANGE, ADD_REMOVE = "exchange", "add_remove"
RELATIONS = (EXCHANGE, ADD_REMOVE)
"""Neighbouring relations: one row is exchanged for another, or one row is added or removed."""

INSERT_DELETE, CHANGE_VALUE, USER = "insert_delete", "change_value", "user"
DELETE_INSERT = "delete_insert"
"""Relations of data sets: also a row inserted where order matters, one value changed, all rows of a user; and
one row deleted and one inserted where the number of rows is fixed and their order matters."""

ANSWERS, L1, L2 = "answers", "l1", "l2"
NUMBERS = (ANSWERS, L1, L2)
"""Relations of lists of numbers: each may change by 1, all of them together by 1, or their changes have a
Euclidean length of 1."""

INPUT_RELATIONS = (*RELATIONS, INSERT_DELETE, CHANGE_VALUE, USER, DELETE_INSERT, *NUMBERS)
"""Relations of described inputs."""

KEEP_SIZE = (EXCHANGE, CHANGE_VALUE, DELETE_INSERT, *NUMBERS)
"""Relations under which both inputs have equally many rows."""

AS_GIVEN = "as_given"
PAIR_RELATIONS = (*INPUT_RELATIONS, AS_GIVEN)
"""Relations of pairs: also of inputs that are not checked."""

DISTANCES = ("absolute", "l1", "l2", "linf", "symmetric", "insert_delete", "exchange", "equal")
"""Distances between results of deterministic steps; `auditor.stability.metrics` says what they are."""

PROTOCOLS = ("sound_net", "sound", "as_printed")
SPLIT_LAWS = ("exponential", "permute_and_flip", "uniform")
LEAF_RULES = ("link_noise_clamp", "link_clamp_noise", "noisy_masses", "noisy_net")
ALPHA_RULES = ("raw_strict", "raw_minority", "noisy_minority", "schedule")
"""Protocols of the learners, the default first, and the choices that each of them makes."""

ESTIMATOR = "estimator:"
"""How a target string of an estimator begins."""

SKELETONS = ("python", "javascript", "c")
"""Languages in which there is a program to start an audited one from."""

CONFIDENCE = 0.95
"""Confidence of an audit by default."""

POWER = 2.0
"""By default an audit is long enough for a verdict if it would have caught twice the claim."""

GREATEST_NULL = 16
"""Greatest epsilon that an audit tests."""

MOST_IN_A_GROUP = 64
"""Greatest number of rows in which the inputs of a pair may differ."""

CANARIES, MOST_CANARIES = 1_000, 1_000_000
"""Number of canaries in one training by default, and at most."""
