"""Ways to run a module: eager, or compiled by torch.compile."""

import re

# By name: arguments of torch.compile, and how tables call the way. A backend is another name.
SETTINGS = {
    "default": ({}, ""),
    "reduce-overhead": ({"mode": "reduce-overhead"}, "reduce-overhead"),
    "max-autotune": ({"mode": "max-autotune"}, "max-autotune"),
    "dynamic": ({"dynamic": True}, "dynamic"),
}
ALL_WAYS = ["eager", *SETTINGS]
PLAIN_BACKEND = "inductor"


class Unsupported(Exception):
    """This torch or this machine does not have what is asked for: no failure."""


def is_way(name):
    return name in ALL_WAYS or bool(re.fullmatch(r"backend:[A-Za-z0-9_.-]{1,60}", name))


def way_words(name):
    """@return backend and setting, as results call them"""
    if name == "eager":
        return "eager", ""
    if name == "backend:eager":  # the graphs are captured, and run as they are
        return "dynamo_eager", ""
    if name.startswith("backend:"):
        return name[len("backend:"):], ""
    return PLAIN_BACKEND, SETTINGS[name][1]


def compiled(torch, module, name):
    """The module as this way runs it; compiling itself begins with the first call.
    Raises Unsupported where torch cannot."""
    if name == "eager":
        return module
    if not hasattr(torch, "compile"):
        raise Unsupported(f"torch {torch.__version__} has no torch.compile, which came with 2.0")
    if name.startswith("backend:"):
        backend = name[len("backend:"):]
        known = backends_of(torch)
        if known is not None and backend not in known:
            raise Unsupported(f"torch {torch.__version__} has no backend '{backend}'; it has "
                              + ", ".join(sorted(known)))
        return torch.compile(module, backend=backend)
    return torch.compile(module, **SETTINGS[name][0])


def backends_of(torch):
    """The names of all backends; None where that cannot be asked."""
    try:
        return set(torch._dynamo.list_backends(exclude_tags=()))
    except (AttributeError, TypeError):
        return None


def counted(torch):
    """What torch counted while it compiled in this process: graphs, breaks and why. None where it
    counts nothing."""
    try:
        from torch._dynamo.utils import counters
    except ImportError:
        return None
    breaks = counters.get("graph_break", {})
    reasons = sorted(breaks, key=breaks.get, reverse=True)
    return {"graphs": counters.get("stats", {}).get("unique_graphs", 0),
            "breaks": sum(breaks.values()),
            "why": " ".join(str(reasons[0]).split())[:200] if reasons else ""}
