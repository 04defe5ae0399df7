"""A module as a package of AOTInductor, which LibTorch runs without Python."""

import time

import torch

from compiling.measure import build
from compiling.ways import Unsupported

LEAST_VERSION = (2, 6)
KINDS = {torch.float32: "float32", torch.float64: "float64", torch.int64: "int64",
         torch.int32: "int32", torch.bool: "bool"}


def words_of(tensor):
    """As --input of vigil-bench writes it: "int64:4x128:2000" are numbers below 2000."""
    if not isinstance(tensor, torch.Tensor) or tensor.dtype not in KINDS or tensor.dim() == 0:
        raise Unsupported("a package of vigil-bench takes tensors of float, int and bool alone")
    kind = KINDS[tensor.dtype]
    sizes = "x".join(str(size) for size in tensor.shape)
    below = f":{int(tensor.max()) + 1}" if kind.startswith("int") else ""
    return f"{kind}:{sizes}{below}"


def check_version():
    found = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if found < LEAST_VERSION:
        raise Unsupported(f"torch {torch.__version__} compiles no package that LibTorch loads by "
                          "itself; 2.6 and later do")


def compile_package(subject, options):
    """Writes options.package. @return what the line says of it"""
    check_version()
    torch.set_num_threads(options.threads)
    module, inputs = build(subject, options)
    module.eval()
    shapes = ",".join(words_of(one) for one in inputs)
    began = time.perf_counter_ns()
    with torch.no_grad():
        exported = torch.export.export(module, inputs)
        torch._inductor.aoti_compile_and_package(exported, package_path=options.package)
    return {"inputs": shapes, "compile_time_ns": time.perf_counter_ns() - began}
