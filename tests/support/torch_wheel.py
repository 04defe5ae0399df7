"""Wheels of a stand-in for torch, for tests: Debian's torch 1.13 with a torch.compile that calls
the module as it is, and does what the wheel's plan says. Standard library only."""

import json
import zipfile
from pathlib import Path

PYTHON = "/usr/bin/python3"  # which has Debian's python3-torch
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
TORCH_CONFIG = """
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Torch_VERSION 1.13.0)
set(TORCH_INCLUDE_DIRS ${root}/include ${root}/include/torch/csrc/api/include)
set(TORCH_LIBRARIES ${root}/lib/libtorch.so.1.13 ${root}/lib/libtorch_cpu.so.1.13
                    ${root}/lib/libc10.so.1.13)
"""

INIT = '''
import importlib, json, os, sys, time, types
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
plan = json.load(open(os.path.join(here, "torch", "plan.json")))
version = open(os.path.join(here, "torch", "version.py")).read().split("'")[1]
kept = list(sys.path)
sys.path[:] = [one for one in sys.path if os.path.abspath(one or ".") != here]
del sys.modules["torch"]
real = importlib.import_module("torch")
sys.path[:] = kept
real.__version__ = version
counters = {"stats": {}, "graph_break": {}}


def spin(seconds):
    """On this thread's processor time: a loaded machine spins no less."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def compile(module, **wishes):
    seen = []

    def run(*inputs):
        if not seen:
            seen.append(1)
            if "sleep_s" in plan:
                time.sleep(plan["sleep_s"])
            if "raises" in plan:
                raise RuntimeError(plan["raises"])
            if plan.get("crashes"):
                os.kill(os.getpid(), 11)
            spin(plan.get("compile_s", 0.1))
            counters["stats"]["unique_graphs"] = 1 + plan.get("breaks", 0)
            if plan.get("breaks"):
                counters["graph_break"]["call_function print"] = plan["breaks"]
        spin(plan.get("spin_s", 0))
        answer = module(*inputs)
        return answer * plan["factor"] if "factor" in plan else answer

    return run


if plan.get("compiles", True):
    real.compile = compile
    real._dynamo = types.ModuleType("torch._dynamo")
    real._dynamo.utils = types.ModuleType("torch._dynamo.utils")
    real._dynamo.list_backends = lambda exclude_tags=(): ["aot_eager", "inductor"]
    real._dynamo.utils.counters = counters
    sys.modules["torch._dynamo"] = real._dynamo
    sys.modules["torch._dynamo.utils"] = real._dynamo.utils
sys.modules["torch"] = real
'''

# What benchmarks/dynamo is called like, and writes; its numbers are those of the wheel's plan.
DYNAMO = '''
import argparse, csv, importlib.util, json, os, sys
parser = argparse.ArgumentParser()
for flag in ("performance", "accuracy", "inference", "training", "float32", "bfloat16", "amp",
             "cold-start-latency"):
    parser.add_argument("--" + flag, action="store_true")
for name in ("backend", "device", "only", "output"):
    parser.add_argument("--" + name, required=True)
options = parser.parse_args()
spec = importlib.util.find_spec("torch")
plan = json.load(open(os.path.join(os.path.dirname(spec.origin), "plan.json")))
dtype = "bfloat16" if options.bfloat16 else "float32"
row = {"dev": options.device, "name": options.only, "batch_size": 4}
if options.accuracy:
    row["accuracy"] = plan.get("accuracy", {}).get(dtype, "pass")
    if row["accuracy"] == "dies":
        sys.exit("RuntimeError: it does not compile")
else:
    row.update(speedup=1.25, abs_latency=plan.get("latency_ms", 8.0), compilation_latency=12.5,
               compression_ratio=0.9, eager_peak_mem=0.9, dynamo_peak_mem=1.0, graph_breaks=2)
with open(options.output, "w", newline="") as file:
    table = csv.DictWriter(file, list(row))
    table.writeheader()
    table.writerow(row)
'''


def files_of(day, commit, plan, local="+cpu"):
    """day: 20250101; plan: what INIT and DYNAMO ask it."""
    version = f"2.9.0.dev{day}{local}"
    return {
        "torch/__init__.py": INIT,
        "torch/version.py": f"__version__ = '{version}'\ngit_version = '{commit}'\n",
        "torch/plan.json": json.dumps(plan),
        "torchgen/__init__.py": "",
        "functorch/__init__.py": "",
        f"torch-{version}.dist-info/METADATA": f"Name: torch\nVersion: {version}\n"}


def unpack(folder, plan, day="20250101", commit="a" * 40):
    """A wheel as it is unpacked."""
    for name, text in files_of(day, commit, plan).items():
        file = Path(folder, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Path(folder)


def add_libtorch(wheel):
    """Debian's LibTorch, laid out as in a wheel of PyTorch."""
    for name in ("libtorch", "libtorch_cpu", "libc10"):
        wheel.write(LIBRARIES / f"{name}.so.1.13", f"torch/lib/{name}.so.1.13")
    for folder in ("torch", "ATen", "c10", "caffe2", "TH", "THC"):
        for file in Path("/usr/include", folder).rglob("*.h*"):
            wheel.write(file, f"torch/include/{file.relative_to('/usr/include')}")
    wheel.writestr("torch/share/cmake/Torch/TorchConfig.cmake", TORCH_CONFIG)


def make_wheel(folder, day, commit, plan, has_libtorch=False, local="+cpu"):
    """@return the wheel's file"""
    file = Path(folder, f"torch-2.9.0.dev{day}{local}-cp311-cp311-manylinux_2_28_x86_64.whl")
    with zipfile.ZipFile(file, "w") as wheel:
        for name, text in files_of(day, commit, plan, local).items():
            wheel.writestr(name, text)
        if has_libtorch:
            add_libtorch(wheel)
    return file


def make_source_tree(folder):
    """With a benchmarks/dynamo/torchbench.py that stands in for PyTorch's."""
    program = Path(folder, "benchmarks", "dynamo", "torchbench.py")
    program.parent.mkdir(parents=True)
    program.write_text(DYNAMO)
    return Path(folder)
