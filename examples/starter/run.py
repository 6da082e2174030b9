"""Judge the functions of library.py by the starter set: python run.py. It needs nothing but Python."""

import json
from bisect import bisect_left
from math import log
from pathlib import Path

import library


def judge_draws(law, draws):
    words = law.get("outcomes")
    cells = [words.index(str(draw)) if words else bisect_left(law["edges"], draw) for draw in draws]
    for rival in law["rivals"]:
        odds = [q / p for q, p in zip(rival["probabilities"], law["probabilities"], strict=True)]
        if sum(log(max(odds[cell], 1e-300)) for cell in cells) > log(len(law["rivals"]) / law["error"]):
            return f"the draws show the mistake {rival['flag']}"
    return ""


def judge(case, function):
    args = {k: float(v) if v in ("NaN", "Infinity") else v for k, v in case["args"].items()}
    try:
        if "law" in case:
            return judge_draws(case["law"], [function(**args) for _ in range(case["law"]["draws"])])
        if "sides" in case:
            a, b = (function([float(row) for row in rows], **args) for rows in case["sides"])
            return "" if abs(a - b) <= case["at_most"] + 1e-9 else f"{a} and {b} are too far apart"
        result = function(**args)
    except Exception as error:
        return "" if "refused" in case else f"an error: {error}"
    if "refused" in case:
        return f"expected an error, got {result}"
    return "" if result >= case["least"] else f"{result} is below {case['least']}"


for case in json.loads(Path(__file__).with_name("starter.json").read_text("utf-8"))["cases"]:
    function = getattr(library, case["function"], None)
    wrong = "" if function is None else judge(case, function)
    print("skip" if function is None else "FAIL" if wrong else "pass", case["id"], wrong)
