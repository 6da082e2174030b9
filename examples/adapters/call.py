"""Let `privboost audit` and `privboost stability` call a function of a file, without privboost beside it.

    privboost audit 'cmd:python call.py library_trials.py:mean' --epsilon 1 --input vector:5,low=0,high=1

The function gets a data set, and returns what it would publish.
"""

import importlib.util
import json
import math
import sys
import warnings


def plain(value):
    """Return a result as JSON values."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "infinity" if value > 0 else "-infinity"
    return value


def read(value):
    """Return a data set with the floats that JSON cannot express."""
    if isinstance(value, list):
        return [read(entry) for entry in value]
    return float(value) if value in ("nan", "infinity", "-infinity") else value


path, name = sys.argv[1].rsplit(":", 1)
spec = importlib.util.spec_from_file_location("trials", path)
module = importlib.util.module_from_spec(spec)
answers, sys.stdout = sys.stdout, sys.stderr
warnings.simplefilter("ignore")
spec.loader.exec_module(module)
for request in map(json.loads, sys.stdin):
    try:
        if request["op"] == "hello":
            answer = {"result": {"seeded": False}}
        else:
            answer = {"result": plain(getattr(module, name)(read(request["args"]["data"])))}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"id": request["id"], **answer}), file=answers, flush=True)
