"""Judge the functions of library.py by the starter set: python run.py. It needs nothing but Python."""

import json
from math import log
from pathlib import Path

import library


def judge_draws(law, draws):
    words, right = law.get("outcomes"), law["probabilities"]
    cells = [words.index(str(x)) if words else sum(edge < x for edge in law["edges"]) for x in draws]
    rivals = [(rival["flag"], rival["probabilities"]) for rival in law["rivals"]]
    gain, flag = max((sum(log(max(p[i] / right[i], 1e-300)) for i in cells), flag) for flag, p in rivals)
    return f"the draws show the mistake {flag}" if gain > log(len(rivals) / law["error"]) else ""


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


failed = False
for case in json.loads(Path(__file__).with_name("starter.json").read_text("utf-8"))["cases"]:
    function = getattr(library, case["function"], None)
    wrong = judge(case, function) if function else ""
    failed |= bool(wrong)
    print("FAIL" if wrong else "pass" if function else "skip", case["id"], wrong)
raise SystemExit(failed)
