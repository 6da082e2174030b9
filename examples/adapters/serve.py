"""The loop of the protocol for an adapter in Python, which runs without privboost.

An adapter gives `serve` one function for every operation of its library. Its parameters are the arguments of
the protocol: `def laplace(value, epsilon, sensitivity)`. Where READERS is not right, an annotation reads one,
or a default has the words that the library knows, as in `noise="laplace geometric"`. The result is a function
that makes a draw, or all draws if there is the parameter `count`. Rules of accounting and steps of maps are
functions of the same kind with results of their own. Every exception of a library is a refusal.
"""

import json
import sys

from values import READERS, cell, each, natural, one_of, plain, readers_of, string, words_of


def call(function, args, **others):
    """Call a function with what its readers return; check other arguments, which it does not have."""
    expected = others | readers_of(function, others)
    if strange := set(args) ^ set(expected):
        raise ValueError(f"missing or unknown arguments: {', '.join(sorted(strange))}")
    values = {name: reader(args[name]) for name, reader in expected.items()}
    return function(**{name: values[name] for name in readers_of(function, others)})


def make_draws(function, args):
    made = call(function, args, seed=natural, count=natural)
    return made if "count" in readers_of(function) else [made() for _ in range(natural(args["count"]))]


def account(rules, args):
    return call(rules[one_of(*rules)(args.get("rule"))], args, rule=string)


def map_both(steps, args):
    """Return the results of a step on both data sets, which it gets as `rows`."""
    step, results = steps[one_of(*steps)(args.get("step"))], {}
    for side, other in (("left", "right"), ("right", "left")):
        given = {"rows" if name == side else name: value for name, value in args.items() if name != other}
        results[side] = call(step, given, step=string, relation=READERS["relation"], rows=each(cell))
    return results


def serve(name, version, draws, rules=None, steps=None, *, claims=()):
    """Answer requests until the input ends; what the library prints goes to standard error.

    `claims` has `low_bits` if the documentation of the library says that it protects them.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    operations = {op: (make_draws, function) for op, function in draws.items()}
    variants = {op: words_of(function) for op, function in draws.items()}
    if rules:
        operations["accounting"], variants["accounting"] = (account, rules), {"rule": list(rules)}
    if steps:
        operations["map"], variants["map"] = (map_both, steps), {"step": list(steps)}
    hello = {"name": name, "version": version, "protocol": 1, "operations": list(operations)}
    hello |= {"variants": variants, "claims": list(claims)}
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
