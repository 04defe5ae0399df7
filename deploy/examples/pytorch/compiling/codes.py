"""What both programs print and end with: the line of vigil-bench (docs/measuring.md). It needs no
torch."""

import os
from pathlib import Path

LOWER = "lower_is_better"
EXIT_CODES = {"passed": 0, "failed": 1, "wrong": 3, "oom": 4, "timeout": 5, "unsupported": 77}
LONGEST_MESSAGE = 600


def metric(value, unit, direction=LOWER):
    return {"value": value, "unit": unit, "direction": direction, "definition": 1}


def absent(why, unit, direction=LOWER):
    return {"absent": why, "unit": unit, "direction": direction, "definition": 1}


def failed_line(outcome, message, info):
    return {"vigil_bench": 1, "outcome": outcome,
            "message": " ".join(message.split())[:LONGEST_MESSAGE], "info": info}


def absolute_environment(**more):
    """For a child that may run in another folder: what PYTHONPATH names is meant from here."""
    folders = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(str(Path(one).absolute()) for one in folders), **more}
