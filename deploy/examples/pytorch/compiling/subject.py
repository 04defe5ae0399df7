"""What is measured: a module and its inputs, one of ours or anybody's."""

import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path

import torch

from compiling.models import MODELS

MOST_ELEMENTS = 1 << 31
PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


class UsageError(Exception):
    """The command line, or the file it names, cannot be used."""


class Subject:
    """name: of the series; domain: for tables; batch: rows of the inputs.
    make(batch): a module and a tuple of inputs."""

    def __init__(self, name, domain, batch, make, takes_batch):
        self.name, self.domain, self.batch = name, domain, batch
        self.make, self.takes_batch = make, takes_batch


def parse_input(text):
    """"1x3x224x224" is float32, normally distributed; "int64:4x128:8000" are whole numbers below
    8000 (2 without it); "bool:4x4" and "float64:8" are other types. @return a function of the
    batch, which takes the place of the first size"""
    found = re.fullmatch(r"(?:(float32|float64|int64|bool):)?(\d+(?:x\d+)*)(?::(\d+))?", text)
    if not found:
        raise UsageError(f"--input {text}: write it like 1x3x224x224 or int64:4x128:8000")
    kind, sizes = found[1] or "float32", [int(size) for size in found[2].split("x")]
    elements = 1
    for size in sizes:
        elements *= size
    if not 0 < elements <= MOST_ELEMENTS:
        raise UsageError(f"--input {text}: it has {elements} elements, not 1 to {MOST_ELEMENTS}")

    def make(batch):
        shape = [batch, *sizes[1:]]
        if kind == "int64":
            return torch.randint(0, int(found[3] or 2), shape)
        if kind == "bool":
            return torch.rand(shape) < 0.5
        return torch.randn(shape, dtype=getattr(torch, kind))

    return make, sizes[0]


def load_callable(text):
    """FILE.py:NAME or PACKAGE.MODULE:NAME."""
    place, _, name = text.rpartition(":")
    if place.endswith(".py"):
        file = Path(place).resolve()
        if not file.is_file():
            raise UsageError(f"--model {text}: there is no file {place}")
        sys.path.insert(0, str(file.parent))
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
    else:
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise UsageError(f"--model {text}: {error}") from error
    if not callable(getattr(module, name, None)):
        raise UsageError(f"--model {text}: {place} has no function or class '{name}'")
    return getattr(module, name)


def takes_batch(function):
    try:
        return "batch" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def own_subject(text, batch, inputs):
    made = load_callable(text)
    name = text.rpartition("/")[2]
    if inputs:
        makers, sizes = zip(*(parse_input(one) for one in inputs.split(",")))

        def make_with(rows):
            return made(), tuple(maker(rows) for maker in makers)

        return Subject(name, "", batch or sizes[0], make_with, True)
    with_batch = takes_batch(made)
    if batch and not with_batch:
        raise UsageError(f"--batch: {name} takes no argument 'batch'; leave it out")

    def make(rows):
        pair = made(batch=rows) if with_batch else made()
        if not (isinstance(pair, tuple) and len(pair) == 2
                and isinstance(pair[0], torch.nn.Module)):
            raise UsageError(f"--model {text}: it must return a module and its inputs, or give "
                             "--input with a function or class that returns the module")
        module, some = pair
        return module, tuple(some) if isinstance(some, (list, tuple)) else (some,)

    return Subject(name, "", batch or 1, make, with_batch)


def find_subject(model, batch, inputs):
    """@param model  a name of MODELS, FILE.py:NAME or PACKAGE.MODULE:NAME"""
    if ":" in model:
        return own_subject(model, batch, inputs)
    if model not in MODELS:
        near = difflib.get_close_matches(model, MODELS, 1)
        raise UsageError(f"unknown model '{model}'; see --list"
                         + (f"; did you mean '{near[0]}'?" if near else ""))
    if inputs:
        raise UsageError(f"--input: {model} has inputs of its own; leave it out")
    make, domain, own_batch = MODELS[model]
    return Subject(model, domain, batch or own_batch, make, True)


def to_type(value, device, dtype):
    """Tensors of floating point in that type; the rest as it is."""
    if isinstance(value, torch.Tensor):
        return value.to(device, dtype) if value.is_floating_point() else value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(to_type(one, device, dtype) for one in value)
    if isinstance(value, dict):
        return {key: to_type(one, device, dtype) for key, one in value.items()}
    return value


def tensors_of(value):
    """All tensors of an answer, in its order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in tensors_of(one)]
    return []
