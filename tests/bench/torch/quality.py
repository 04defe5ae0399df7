#!/usr/bin/env python3
"""How good vigil-bench's measurements are; prints the figures of docs/measuring.md.

usage: quality.py BUILD_FOLDER bare [ROUNDS]       against a bare loop of the same model
       quality.py BUILD_FOLDER same [ROUNDS]       a build against itself, over ten models a round;
                                                   one comparison at a time on each processor
       quality.py BUILD_FOLDER ways FILE           a build against itself, over thirty models in
                                                   both modes, two precisions and two backends;
                                                   a line each into FILE, which is gone on with
       quality.py BUILD_FOLDER planted             planted slowdowns, leak, bloat, an operator that
                                                   falls back, a slower compilation
       quality.py BUILD_FOLDER start [TIMES]       what starting costs over LibTorch's own start

A comparison is some A/B/B/A of processes in turns (docs/operations.md); its value is the mean of
the logarithms of the pairs' ratios of CPU time, its interval Student's at 95 %."""

import concurrent.futures
import contextlib
import json
import math
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
STUDENT_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 9: 2.262}
HOME_MADE = ["mlp", "convnet", "attention"]
OF_THE_ZOO = ["squeezenet1_1", "shufflenet_v2_x1_0", "dcgan", "soft_actor_critic",
              "lennard_jones", "equation_of_state", "per_sample_gradients"]
MORE_OF_THE_ZOO = ["mobilenet_v2", "mobilenet_v3_large", "mnasnet1_0", "maml_omniglot",
                   "learning_to_paint", "drq", "resnet18", "deeprecommender", "segformer_b0",
                   "alexnet", "speaker_encoder", "tts_angular", "dit_s_2", "vit_s_16",
                   "phlippe_resnet", "opacus_cifar10", "distilbert", "smollm_decode",
                   "doctr_reco_predictor", "speech_transformer"]
HALF = ("amp", "bf16")  # the first that a model has
WAYS = [(mode, precision, backend) for precision in ("fp32", "half")
        for mode, backend in (("infer", "eager"), ("infer", "jit"), ("train", "eager"))]
QUICK = ["--min-time", "0.3", "--min-samples", "20", "--max-warmup", "0.2",
         "--sample-time", "0.002"]
ALONE = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
PAIRS = 4  # of a comparison: two A/B/B/A


class Unsupported(Exception):
    """A way that a model does not have."""


def build(folder, zoo):
    configure = ["cmake", "-S", HERE, "-B", folder, "-G", "Ninja",
                 f"-DVIGIL_BENCH_ZOO={'ON' if zoo else 'OFF'}"]
    for command in (configure, ["cmake", "--build", folder]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\n{done.stderr}\nbuilding failed")


def trimmed_mean(values):
    """As the worker takes it in turns: without the tenth at each end."""
    values = sorted(values)
    cut = len(values) // 10
    return statistics.fmean(values[cut:len(values) - cut])


def in_turns(folder, commands, processor=None):
    """Runs (arguments, environment) of members at once, in turns; on one processor if it is given.
    @return their documents"""
    place = [] if processor is None else ["taskset", "-c", str(processor)]
    with tempfile.TemporaryDirectory() as turns:
        for name in ("turn", *(f"member-{i}" for i in range(len(commands)))):
            Path(turns, name).touch()
        started = []
        for member, (arguments, variables) in enumerate(commands):
            environment = dict(ALONE, VIGIL_TURNS=turns, VIGIL_TURNS_MEMBER=str(member),
                               VIGIL_TURNS_MEMBERS=str(len(commands)), **variables)
            started.append(subprocess.Popen(
                [*place, folder / "bench" / "vigil-bench", *QUICK, *arguments], env=environment,
                stdout=subprocess.PIPE, text=True))
        documents = [json.loads(process.communicate(timeout=600)[0]) for process in started]
    for document in documents:
        if document["outcome"] == "unsupported":
            raise Unsupported(document["message"])
        if document["outcome"] != "passed":
            sys.exit(f"a run did not pass: {document['message']}")
    return documents


def compare(folder, a, b, processor=None, clock="cpu_time_ns", after_pair=lambda base: None):
    """@return change of b against a, with its interval's ends; a's mean time"""
    logs, base = [], []
    for pair in range(PAIRS):
        order = (a, b) if pair % 2 == 0 else (b, a)
        documents = in_turns(folder, order, processor)
        if pair % 2 == 1:
            documents.reverse()
        times = [trimmed_mean(one["samples"][clock]) for one in documents]
        logs.append(math.log(times[1] / times[0]))
        base.append(times[0])
        after_pair(times[0])
    half = STUDENT_95[PAIRS - 1] * statistics.stdev(logs) / math.sqrt(PAIRS)
    middle = statistics.fmean(logs)
    return [math.exp(value) - 1 for value in (middle, middle - half, middle + half)], \
        statistics.fmean(base)


def bare(folder, rounds):
    build(folder, False)
    print("model      rounds  vigil-bench over bare loop  middle half of the rounds")
    for model in HOME_MADE:
        done = subprocess.run([folder / "bare_loop", model, str(rounds)], env=ALONE, text=True,
                              capture_output=True, check=True)
        ratios = sorted(float(line.split()[0]) / float(line.split()[1]) - 1
                        for line in done.stdout.splitlines())
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(f"{model:10} {len(ratios):6}  {middle:+.3%}  {low:+.2%} to {high:+.2%}", flush=True)


def same(folder, rounds):
    build(folder, True)
    free = queue.SimpleQueue()
    for processor in os.sched_getaffinity(0):
        free.put(processor)

    def one(model):
        side, processor = (["--model", model], {}), free.get()
        try:
            return model, compare(folder, side, side, processor)[0]
        finally:
            free.put(processor)

    covered = over = total = 0
    widths = []
    with concurrent.futures.ThreadPoolExecutor(free.qsize()) as pool:
        for model, (change, low, high) in pool.map(one, (HOME_MADE + OF_THE_ZOO) * rounds):
            total += 1
            covered += low <= 0 <= high
            over += low > 0.07
            widths.append((high - low) / 2)
            print(f"{total:3} {model:22} {change:+.2%}  {low:+.2%} to {high:+.2%}", flush=True)
    print(f"{total} comparisons: interval covers 0 in {covered} ({covered / total:.1%}); "
          f"surely over 7 %: {over}; half width, median {statistics.median(widths):.2%}")


def ways(folder, path):
    build(folder, True)
    path.touch()
    known = [json.loads(line) for line in path.read_text().splitlines()]
    done = {(one["model"], *one["way"]) for one in known}
    with open(path, "a") as file:
        for way in WAYS:
            for model in HOME_MADE + OF_THE_ZOO + MORE_OF_THE_ZOO:
                if (model, *way) in done:
                    continue
                interval = None
                for precision in HALF if way[1] == "half" else way[1:2]:
                    side = (["--model", model, "--batch", "2", "--mode", way[0], "--precision",
                             precision, "--backend", way[2]], {})
                    with contextlib.suppress(Unsupported):
                        interval = compare(folder, side, side)[0]
                        break
                known.append({"model": model, "way": way, "interval": interval})
                print(*way, model, interval, flush=True)
                file.write(json.dumps(known[-1]) + "\n")
                file.flush()
    for way in WAYS:
        intervals = [one["interval"] for one in known
                     if tuple(one["way"]) == way and one["interval"]]
        print(*way, summary(intervals))
    print("all:", summary([one["interval"] for one in known if one["interval"]]))


def summary(intervals):
    held = sum(low <= 0 <= high for _, low, high in intervals)
    width = statistics.median((high - low) / 2 for _, low, high in intervals)
    return f"{held} of {len(intervals)} intervals hold 0; half width, median {width:.2%}"


def planted(folder):
    build(folder, False)
    model = ["--model", "mlp", "--library", folder / "libplanted.so"]
    _, base_ns = compare(folder, (model, {}), (model, {}))
    for slowdown in (0.07, 0.10, 0.20):
        against_told(folder, "slowdown", {"VIGIL_PLANT_NS": str(slowdown * base_ns)})
    # Three products of seven have no kernel.
    against_told(folder, "fallback", {"VIGIL_PLANT_FALLBACK": "3"})
    leak = in_turns(folder, [(model, {"VIGIL_PLANT_LEAK": str(8 << 20)})])[0]
    print("leak: planted", 8 << 20, "bytes/iteration, seen", leak["info"]["metrics"]["leak"])
    peak = in_turns(folder, [(model, {})])[0]["samples"]["peak_alloc_bytes"][0]
    more = in_turns(folder, [(model, {"VIGIL_PLANT_BLOAT": str(peak // 10)})])[0]
    seen = more["samples"]["peak_alloc_bytes"][0]
    print(f"bloat: planted {peak // 10} of {peak} bytes, "
          f"seen {seen - peak} ({seen / peak - 1:+.3%})")


def against_told(folder, name, fault):
    """The truth is what the library's own clock says that an iteration takes more, in the very
    processes that are compared: a wait takes longer than it was asked for."""
    model = ["--model", "mlp", "--library", folder / "libplanted.so"]
    truths = []
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place, name) for name in ("plain", "faulty")]
        plain, faulty = ({"VIGIL_PLANT_TOLD": str(file)} for file in files)
        faulty.update(fault)

        def note(base_ns):
            truths.append((float(files[1].read_text()) - float(files[0].read_text())) / base_ns)

        (change, low, high), _ = compare(folder, (model, plain), (model, faulty), after_pair=note)
    truth = statistics.fmean(truths)
    print(f"{name}: planted {truth:+.2%}, seen {change:+.2%}, {low:+.2%} to {high:+.2%}, "
          f"truth in it: {low <= truth <= high}, seen at all: {low > 0}", flush=True)


def planted_compile(folder, share=0.2, pairs=10):
    """A fifth more time to compile, in processes that take turns as a whole."""
    def compile_ns(planted_ns):
        preload = folder / "libslow_compile.so"
        preload.stat()  # the loader only warns
        environment = dict(ALONE, LD_PRELOAD=preload, VIGIL_PLANT_COMPILE_NS=str(planted_ns))
        done = subprocess.run(
            [folder / "bench" / "vigil-bench", *QUICK, "--model", "convnet", "--backend", "jit"],
            env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["info"]["metrics"]["compile_time_ns"]["value"]

    planted_ns = share * statistics.median(compile_ns(0) for _ in range(5))
    logs, base = [], []
    for pair in range(pairs):
        order = (0, planted_ns) if pair % 2 == 0 else (planted_ns, 0)
        times = [compile_ns(one) for one in order]
        if pair % 2 == 1:
            times.reverse()
        logs.append(math.log(times[1] / times[0]))
        base.append(times[0])
    half = STUDENT_95[pairs - 1] * statistics.stdev(logs) / math.sqrt(pairs)
    middle = statistics.fmean(logs)
    change, low, high = (math.exp(value) - 1 for value in (middle, middle - half, middle + half))
    truth = planted_ns / statistics.fmean(base)
    print(f"compile: planted {truth:+.2%} of {statistics.fmean(base) / 1e6:.1f} ms, seen "
          f"{change:+.2%}, {low:+.2%} to {high:+.2%}, truth in it: {low <= truth <= high}, "
          f"seen at all: {low > 0}", flush=True)


def start(folder, times):
    build(folder, False)
    least = ["--min-time", "0", "--min-samples", "1", "--max-warmup", "0", "--sample-time", "0"]
    commands = {"libtorch and model": [folder / "bare_loop", "mlp", "0"],
                "vigil-bench": [folder / "bench" / "vigil-bench", "--model", "mlp", *least]}
    taken = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command, env=ALONE, capture_output=True, check=True)
            taken[name].append(time.perf_counter() - began)
    for name, seconds in taken.items():
        print(f"{name}: median {statistics.median(seconds):.3f} s of {times}")
    medians = [statistics.median(seconds) for seconds in taken.values()]
    print(f"vigil-bench's own: {medians[1] - medians[0]:.3f} s")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, what = Path(sys.argv[1]).resolve(), sys.argv[2]
    if what == "ways":
        return ways(folder, Path(sys.argv[3]))
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    if what == "planted":
        planted(folder)
        planted_compile(folder)
    elif what in ("bare", "same", "start"):
        {"bare": bare, "same": same, "start": start}[what](folder, count)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
