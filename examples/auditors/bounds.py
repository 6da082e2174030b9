"""The loop of an auditor for `privboost calibrate --auditor`, which runs without privboost."""

import json
import random
import sys


def serve(name, version, bound):
    """Answer requests until the input ends; what a library prints goes to standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for request in map(json.loads, sys.stdin):
        answer = {"id": request["id"]}
        try:
            if request["op"] == "hello":
                answer["result"] = {"name": name, "version": version}
            else:
                args = request["args"]
                answer["result"] = float(bound(args["left"], args["right"], args["level"], args["delta"]))
        except NotImplementedError as error:
            answer["unsupported"] = str(error)
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=answers, flush=True)


def split(scores):
    """Return scores to choose a threshold from, about half of them, and the others, to count.

    Each score goes to either part by a coin, so that the sides of those to count are fair coins as well.
    """
    coins = random.Random(repr(scores))
    parts = [], []
    for score in scores:
        parts[coins.getrandbits(1)].append(score)
    return parts


def best_threshold(left, right):
    """Return the threshold at or above which most of the right and fewest of the left scores lie."""
    candidates = sorted({*left, *right})

    def margin(threshold):
        above = [sum(score >= threshold for score in side) / len(side) for side in (right, left)]
        return above[0] - above[1]

    return max(candidates[:: max(1, len(candidates) // 50)], key=margin)
