"""The loop of the protocol for an adapter in Python, which runs without privboost.

An adapter gives `serve` one function for every operation of its library. Its parameters are the arguments of
the protocol, which annotations read: `def laplace(value: real, epsilon: real, sensitivity: real)`. It returns
a function that makes one draw, or all draws if it has the parameter `count`. Rules of accounting and steps of
maps are functions of the same kind, with a result. Every exception of a library is a refusal.
"""

import json
import sys
from inspect import signature

from values import RELATION, natural, one_of, plain, string


def readers(function):
    """Return the readers of a function's arguments."""
    return {name: each.annotation for name, each in signature(function).parameters.items()}


def call(function, args, **others):
    """Call a function with what its readers return; check other arguments, which it does not have."""
    expected = others | readers(function)
    if strange := set(args) ^ set(expected):
        raise ValueError(f"missing or unknown arguments: {', '.join(sorted(strange))}")
    values = {name: reader(args[name]) for name, reader in expected.items()}
    return function(**{name: values[name] for name in readers(function)})


def make_draws(function, args):
    """Return the draws of an operation."""
    made = call(function, args, seed=natural, count=natural)
    return made if "count" in readers(function) else [made() for _ in range(natural(args["count"]))]


def account(rules, args):
    """Return a number of accounting."""
    return call(rules[one_of(*rules)(args.get("rule"))], args, rule=string)


def map_both(steps, args):
    """Return the results of a step on both data sets, which it gets as `rows`."""
    step, results = steps[one_of(*steps)(args.get("step"))], {}
    for side, other in (("left", "right"), ("right", "left")):
        given = {"rows" if name == side else name: value for name, value in args.items() if name != other}
        results[side] = call(step, given, step=string, relation=RELATION)
    return results


def serve(name, version, draws, rules=None, steps=None):
    """Answer requests until the input ends; what the library prints goes to standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr
    operations = {op: (make_draws, function) for op, function in draws.items()}
    words = {
        op: {key: getattr(read, "words", ()) for key, read in readers(draws[op]).items()} for op in draws
    }
    if rules:
        operations["accounting"], words["accounting"] = (account, rules), {"rule": tuple(rules)}
    if steps:
        operations["map"], words["map"] = (map_both, steps), {"step": tuple(steps)}
    hello = {"name": name, "version": version, "protocol": 1, "operations": list(operations)}
    hello["variants"] = {
        op: {key: each for key, each in stated.items() if each} for op, stated in words.items()
    }
    for request in map(json.loads, sys.stdin):
        op, args, answer = request["op"], request["args"], {}
        try:
            if op != "hello" and op not in operations:
                raise NotImplementedError(op)
            answer["result"] = hello if op == "hello" else plain(operations[op][0](operations[op][1], args))
        except NotImplementedError as error:
            answer["unsupported"] = str(error)
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps({"id": request["id"], **answer}), file=answers, flush=True)
