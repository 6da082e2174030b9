import json
import sys
from fractions import Fraction


def hello(protocol):
    return {
        "name": "mine",
        "version": "0.1",
        "protocol": 1,
        "operations": ["bayes_risk"],
        "variants": {"bayes_risk": {"loss": ["square"]}},
    }


def bayes_risk(loss, u, **others):
    if loss != "square":
        raise NotImplementedError(loss)
    if others:
        raise ValueError(f"{', '.join(others)}: an unknown argument")
    u = Fraction(u)
    if not 0 <= u <= 1:
        raise ValueError(f"u: expected a number in [0, 1], got {u}")
    return str(4 * u * (1 - u))


OPERATIONS = {"hello": hello, "bayes_risk": bayes_risk}
for request in map(json.loads, sys.stdin):
    try:
        operation = OPERATIONS[request["op"]]
        answer = {"result": operation(**request["args"])}
    except (KeyError, NotImplementedError) as error:
        answer = {"unsupported": str(error)}
    except (TypeError, ValueError) as error:
        answer = {"error": str(error)}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
