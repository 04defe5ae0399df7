#!/usr/bin/env python3
"""What only a GPU can show of vigil-bench; gpu.sh calls it.

usage: gpu_checks.py BUILD_FOLDER RESULTS PART [SECONDS]

PART is planted, streams, precisions, packages or same. Each prints its figures and writes them as
lines of JSON into RESULTS/checks.jsonl; `same` begins no comparison after SECONDS (default 120).
`table` prints RESULTS/models.jsonl for people.
BUILD_FOLDER is what gpu.sh built."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import outcomes
import quality

ON_GPU = ["--device", "cuda"]
MIB = 1 << 20
SMALL = ["--model", "mlp"]
BIG = [*SMALL, "--batch", "16384"]  # so much that the GPU never waits for the CPU
CALLS = 13  # of linear, in an iteration of mlp
LEAK = 4096  # bytes, of one of them; the allocator counts in 512
PRECISE = ("resnet50", "vit_b_16", "bert_base", "gpt2")
ALIKE = ("resnet18", "mlp", "mobilenet_v2", "distilbert", "unet", "dcgan", "attention", "alexnet",
         "squeezenet1_1", "segformer_b0", "convnet", "gpt2")
PACKAGES = """
import sys, torch, torchvision
name, folder = sys.argv[1:]
if name == "resnet18":
    net, rows = torchvision.models.resnet18(), torch.randn(16, 3, 224, 224)
else:
    layer = torch.nn.TransformerEncoderLayer(512, 8, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    rows = torch.randn(16, 128, 512)
net, rows = net.eval().cuda(), rows.cuda()
with torch.no_grad():
    torch.jit.trace(net, rows).save(f"{folder}/{name}.pt")
    torch._inductor.aoti_compile_and_package(
        torch.export.export(net, (rows,)), package_path=f"{folder}/{name}.pt2")
"""
SHAPES = {"resnet18": "16x3x224x224", "encoder": "16x128x512"}


class Checks:
    def __init__(self, folder, results):
        self.folder, self.results = folder, results

    def say(self, part, text, **figures):
        print(f"{part}: {text}", flush=True)
        with open(self.results / "checks.jsonl", "a") as file:
            file.write(json.dumps({"part": part, "text": text, **figures}) + "\n")

    def one(self, *arguments, **variables):
        """One vigil-bench on the GPU. @return its document"""
        done = subprocess.run(
            [self.folder / "bench" / "vigil-bench", *ON_GPU, *arguments], text=True,
            capture_output=True, env=dict(quality.ALONE, **variables))
        return json.loads(done.stdout) if done.stdout else \
            {"outcome": f"died ({done.returncode})", "message": done.stderr[-300:]}

    def compare(self, first, second):
        """(arguments, variables) of both, in turns. @return change with its interval, the first's
        time in nanoseconds"""
        on_gpu = [(ON_GPU + arguments, variables) for arguments, variables in (first, second)]
        return quality.compare(self.folder, *on_gpu, clock="wall_time_ns")

    def planting(self, **faults):
        """Variables that plant faults in each of mlp's calls of linear."""
        return {"LD_PRELOAD": str(self.folder / "libplanted_gpu.so"),
                **{f"VIGIL_PLANT_{name}": str(value) for name, value in faults.items()}}

    def planted_slowdowns(self):
        least_ns = 1000  # the planted kernels are launched on both sides
        side = (BIG, self.planting(GPU_NS=least_ns))
        _, base_ns = self.compare(side, side)
        for slowdown in (0.07, 0.10, 0.20):
            more_ns = slowdown * base_ns
            (middle, low, high), first_ns = self.compare(
                side, (BIG, self.planting(GPU_NS=least_ns + more_ns / CALLS)))
            truth = more_ns / first_ns
            self.say("planted", f"slowdown {truth:+.2%}: seen {middle:+.2%}, {low:+.2%} to "
                     f"{high:+.2%}; truth in it: {low <= truth <= high}, seen at all: {low > 0}",
                     truth=truth, seen=middle, low=low, high=high, base_ns=first_ns)

    def planted_memory(self):
        plain = self.one(*SMALL)
        leak, none = (document["info"]["metrics"]["gpu_leak"] for document in (
            self.one(*SMALL, **self.planting(LEAK=LEAK)), plain))
        self.say("planted", f"leak of {CALLS * LEAK} bytes an iteration: seen {leak['value']}, "
                 f"{leak.get('verdict')}; without: {none['value']}, {none.get('verdict')}",
                 leak=leak, without=none)
        peaks = [document["samples"]["peak_gpu_bytes"][0] for document in (
            plain, self.one(*SMALL, **self.planting(BLOAT=64 * MIB)))]
        self.say("planted", f"bloat of {64 * MIB} bytes on {peaks[0]}: seen {peaks[1] - peaks[0]}",
                 peaks=peaks)

    def planted(self):
        self.planted_slowdowns()
        self.planted_memory()

    def streams(self):
        """Work that nobody waits for is in the sample all the same, and shares are of one whole."""
        plain = self.one(*BIG, "--breakdown", "20")
        base_ns = statistics.median(plain["samples"]["wall_time_ns"])
        for name in ("GPU_NS", "ASIDE_NS"):
            document = self.one(*BIG, "--breakdown", "20",
                                **self.planting(**{name: 3 * base_ns / CALLS}))
            seen_ns = statistics.median(document["samples"]["wall_time_ns"])
            self.say("streams", f"{name}: planted {3 * base_ns / 1e6:.3f} ms a step of "
                     f"{base_ns / 1e6:.3f}: {seen_ns / 1e6:.3f} ms; "
                     f"{document['info']['breakdown']}",
                     base_ns=base_ns, seen_ns=seen_ns, breakdown=document["info"]["breakdown"],
                     plain=plain["info"]["breakdown"])

    def precisions(self):
        for model in PRECISE:
            row = {}
            for precision in outcomes.PRECISIONS["cuda"]:
                document = self.one("--model", model, "--precision", precision, "--batch", "32",
                                    "--min-time", "0.3")
                if document["outcome"] != "passed":
                    row[precision] = f"{document['outcome']}: {document.get('message')}"
                    continue
                times = document["samples"].get("gpu_time_ns") or \
                    document["samples"]["wall_time_ns"]
                row[precision] = [statistics.median(times) / 1e6,
                                  document["samples"]["peak_gpu_bytes"][0] / MIB,
                                  document["info"]["accuracy"]]
            words = ", ".join(f"{name} {cell[0]:.2f} ms {cell[1]:.0f} MiB"
                              if isinstance(cell, list) else f"{name} {cell}"
                              for name, cell in row.items())
            self.say("precisions", f"{model}, 32 rows: {words}", model=model, cells=row)

    def packages(self):
        """A network as a script and as a package of AOTInductor."""
        made = self.folder / "packages"
        made.mkdir(exist_ok=True)
        for name in SHAPES:
            if (made / f"{name}.pt2").exists():
                continue
            done = subprocess.run([sys.executable, "-c", PACKAGES, name, made], text=True,
                                  capture_output=True)
            if done.returncode != 0:
                self.say("packages", f"{name} was not compiled: {done.stderr[-600:]}")
                return
        for name, shape in SHAPES.items():
            both = [["--model", str(made / f"{name}.pt"), "--input", shape],
                    ["--model", str(made / f"{name}.pt2"), "--input", shape, "--backend", "aoti"]]
            documents = [self.one(*one) for one in both]
            if any(one["outcome"] != "passed" for one in documents):
                self.say("packages", f"{name}: " + "; ".join(
                    f"{one['outcome']} {one.get('message', '')}" for one in documents))
                continue
            (middle, low, high), base_ns = self.compare(*((one, {}) for one in both))
            self.say("packages", f"{name}: script {base_ns / 1e6:.3f} ms, package {middle:+.1%} "
                     f"({low:+.1%} to {high:+.1%})", model=name, base_ns=base_ns, change=middle,
                     low=low, high=high, info=documents[1]["info"])

    def same(self, seconds):
        """A build against itself."""
        begun, total, covered = time.monotonic(), 0, 0
        for precision in ("fp32", "tf32"):
            for model in ALIKE:
                if time.monotonic() - begun > seconds:
                    break
                side = (["--model", model, "--precision", precision], {})
                try:
                    (middle, low, high), _ = self.compare(side, side)
                except (SystemExit, quality.Unsupported) as error:
                    self.say("same", f"{model} {precision}: {error}")
                    continue
                total += 1
                covered += low <= 0 <= high
                self.say("same", f"{model} {precision}: {middle:+.2%}, {low:+.2%} to {high:+.2%}",
                         model=model, precision=precision, low=low, middle=middle, high=high)
        self.say("same", f"{covered} of {total} intervals hold 0", total=total, covered=covered)


def cells(document):
    """Step and GPU's part of it in ms, shares in percent, peak in MiB."""
    if document["outcome"] != "passed":
        return [document["outcome"], *["-"] * 4]
    samples, parts = document["samples"], document["info"]["breakdown"]
    return [f"{statistics.median(samples['wall_time_ns']) / 1e6:.2f}",
            *(f"{100 * parts[name]:.0f}" for name in ("active", "data_movement", "idle")),
            f"{samples['peak_gpu_bytes'][0] / MIB:,.0f}"]


def table(results):
    lines = [json.loads(line) for line in open(results / "models.jsonl")]
    runs = {(one["info"]["model"], one["info"]["mode"]): one for one in lines}
    columns = ["ms", "active %", "moving %", "idle %", "MiB"]
    print("| Model | Rows | " + " | ".join(f"{mode}: {name}" for mode in ("infer", "train")
                                           for name in columns) + " |")
    print("| --- |" + " ---: |" * (1 + 2 * len(columns)))
    for model in sorted({model for model, _ in runs}):
        both = [runs.get((model, mode)) for mode in ("infer", "train")]
        rows = "/".join(str(one["info"].get("batch", "-")) for one in both if one)
        row = [cell for one in both for cell in (cells(one) if one else ["-"] * len(columns))]
        print(f"| `{model}` | {rows} | " + " | ".join(row) + " |")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    checks = Checks(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    parts = {"planted": checks.planted, "streams": checks.streams,
             "precisions": checks.precisions, "packages": checks.packages,
             "same": lambda: checks.same(float(sys.argv[4]) if len(sys.argv) > 4 else 120)}
    parts["table"] = lambda: table(checks.results)
    if sys.argv[3] not in parts:
        sys.exit(__doc__)
    parts[sys.argv[3]]()


if __name__ == "__main__":
    os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")
    main()
