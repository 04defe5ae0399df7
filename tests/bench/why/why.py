"""How often `vigil compare --why` names the function of a known change in its first three rows, and
how much of the change its rows explain.

usage: why.py BUILD_FOLDER [--bench VIGIL_BENCH] [--fmt REPOSITORY] [--only TEXT] [--keep FOLDER]
              [--profiler perf]

Each change is a commit beside a common parent: of the program `shop` in this folder, of the library
tensorlab with --bench (vigil-bench of the LibTorch at hand), and of a real repository with --fmt (a
clone of github.com/fmtlib/fmt: the commit of its issue 3674, and the range around it). Each side is
run a few times: what is judged is the profile. Prints a row of a table for each, and the share that
is named."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TENSORLAB = HERE.parents[1] / "support" / "tensorlab"
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(TENSORLAB)]
from changes import CHANGES  # noqa: E402
from plants import PLANTS  # noqa: E402

FIRST = 3
TENSORLAB_BUILD = "cmake -S . -B build -G Ninja && cmake --build build"
# What a person would name, of each plant of tensorlab; its benchmark is of the plant itself.
TENSORLAB_FUNCTIONS = {
    "bounds": ["max_pool", "Plane"],
    "exceptions": ["decay_of", "momentum_of", "sgd_step"],
    "bias_workspace": ["tensorlab::linear", "add_bias"],
    "double_check": ["check_values", "normalise_rows", "layer_norm"],
    "workspace_leak": ["make_workspace", "workspace", "conv2d"],
    "class_fusion": ["fused", "bias_gelu", "erf"],
    "template_mismatch": ["scores", "sum_products", "product"],
}
# A small batch is quick under valgrind. These show with many rows: two fit into a smaller workspace
# as well, and most of their time is for reading the weights.
OF_ITS_OWN_BATCH = ("bias_workspace", "class_fusion")
FALL_BACK = ("an operator that falls back", ["layer_norm", "normalise"], "attention", [
    ("src/register.cpp", """    library.def(
        "layer_norm(Tensor x, Tensor weight, Tensor bias) -> Tensor", &tensorlab::layer_norm);
""", "")])
FMT_PROGRAM = """#include <string>
#include <fmt/os.h>
int main() {
    auto out = fmt::output_file("/dev/null");
    const std::string text(100000, 'x');
    for (int i = 0; i < 300; ++i) out.print("{}", text);
}
"""
FMT_COMMIT = ("e2f6d7665b134c20bc704f0c3d1d0d9305b4f564",
              "192859c2b5dda3a015a7b1bf023f0c2475f0350c")
# 100 commits with that one among them.
FMT_RANGE = ("a33701196adfad74917046096bf5a2aa0ab0bb50",
             "f9bcbdcbcf76ea3f90324ad8b03b035186c9c434")
# The documented cause: print writes through an iterator, a character at a time.
FMT_FUNCTIONS = ["copy_str", "iterator_buffer", "get_iterator", "vformat_to", "push_back"]


def git(repository, *arguments):
    who = {f"GIT_{who}_{what}": "bench@example.invalid"
           for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {"GIT_AUTHOR_DATE": "@1000000 +0000", "GIT_COMMITTER_DATE": "@1000000 +0000"}
    return subprocess.run(["git", "-C", str(repository), *arguments], check=True, text=True,
                          capture_output=True, env={**os.environ, **who, **dates}).stdout.strip()


class Planted:
    """A repository of one tree and of changes beside it."""

    def __init__(self, folder, tree):
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                self._write(str(path.relative_to(tree)), path.read_text())
        self.good = self._commit("the tree")

    def _write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def _commit(self, subject):
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "-m", subject)
        return git(self.folder, "rev-parse", "HEAD")

    def change(self, name, edits):
        git(self.folder, "checkout", "-q", self.good)
        for path, old, new in edits:
            text = (self.folder / path).read_text()
            if text.count(old) != 1:
                raise SystemExit(f"{name}: its old text is not once in {path}")
            self._write(path, text.replace(old, new))
        return self._commit(name)


def place_in(why, functions):
    """The number of the first row that names one of the functions; 0: none does."""
    return next((number for number, row in enumerate(why.get("rows", []), start=1)
                 if any(part in one for part in functions
                        for one in [row["function"], row["mostly_in"], *row["inlined"]])), 0)


class Bench:
    def __init__(self, vigil, state, more=()):
        self.vigil, self.state, self.more = vigil, state, more
        self.named, self.tried = 0, 0

    def compare(self, name, functions, repository, good, bad, build, bench, *more):
        began = time.monotonic()
        done = subprocess.run(
            [self.vigil, "compare", "--json", "--why", "--blocks", "1", "--at-once", "1",
             "--repo", repository, "--state", self.state, "--good", good, "--bad", bad,
             "--build", build, "--bench", bench, *self.more, *more],
            capture_output=True, text=True)
        if done.returncode not in (0, 1, 5):
            raise SystemExit(f"{name}: vigil compare ended with {done.returncode}: {done.stderr}")
        self._tell(name, functions, json.loads(done.stdout)["why"], time.monotonic() - began)

    def _tell(self, name, functions, whole, seconds):
        """Of operators and of functions; counted as named is what the functions say."""
        tables = [whole, *whole.get("beside", [])]
        operators = next((one for one in tables
                          if one.get("unit", "").startswith("operator")), None)
        why = next((one for one in tables if one is not operators), whole)
        operator = place_in(operators, functions) if operators else "-"
        rows = why.get("rows", [])
        place = place_in(why, functions)
        self.tried += 1
        self.named += 0 < place <= FIRST
        change = why["after"] / why["before"] - 1 if why.get("before") else 0
        share = sum(row["share"] for row in rows[:FIRST])
        print(f"| {name} | {change:+.1%} | {place or 'none'} | {share:.0%} | {operator or 'none'} "
              f"| {seconds:.0f} s |", flush=True)
        for table, at in ((why, place), (operators, operator)):
            if table is None or 0 < at <= FIRST:
                continue
            print(f"  {table.get('unit', '')}: {table['words']}", flush=True)
            for row in table.get("rows", [])[:6]:
                print(f"  {row['share']:7.0%} {row['function'][:90]} {row['mostly_in'][:60]}",
                      flush=True)
            for note in table.get("notes", []):
                print(f"  note: {note}", flush=True)


def shop(bench, folder, only):
    planted = Planted(folder / "shop", HERE / "shop")
    for one in CHANGES:
        if only not in one.kind:
            continue
        bad = planted.change(one.kind, one.edits)
        bench.compare(one.kind, one.functions, planted.folder, planted.good, bad, "make -j2",
                      "out/shop", "--metric", "cpu", "--outputs", "out/shop")


def tensorlab(bench, folder, only, vigil_bench):
    planted = Planted(folder / "tensorlab", TENSORLAB / "tree")
    rows = [(f"tensorlab: {one.name}", TENSORLAB_FUNCTIONS[one.name], one.benchmark, one.edits,
             ["--metric", "peak_alloc_bytes"] if one.metric == "memory" else []) for one in PLANTS]
    name, functions, model, edits = FALL_BACK
    rows.insert(0, (f"tensorlab: {name}", functions, f"{model}-infer", edits, []))
    for name, functions, benchmark, edits, more in rows:
        if only not in name:
            continue
        model, mode = benchmark.split("-")
        bad = planted.change(name, edits)
        batch = "" if name.endswith(OF_ITS_OWN_BATCH) else " --batch 2"
        line = (f"{vigil_bench} --model {model} --mode {mode} --library build/lib/libtensorlab.so"
                f"{batch} --min-time 0.1 --min-samples 3 --max-warmup 0.1")
        bench.compare(name, functions, planted.folder, planted.good, bad, TENSORLAB_BUILD, line,
                      "--outputs", "build/lib/libtensorlab.so", *more)


def fmt(bench, folder, only, repository):
    (folder / "print.cpp").write_text(FMT_PROGRAM)
    build = (f"c++ -std=c++17 -O2 -g -Iinclude -o printing {folder}/print.cpp src/format.cc "
             "src/os.cc")
    for name, (good, bad) in (("fmt, issue 3674, the commit alone", FMT_COMMIT),
                              ("fmt, issue 3674, all of the 100 commits", FMT_RANGE)):
        if only in name:
            bench.compare(name, FMT_FUNCTIONS, repository, good, bad, build, "./printing",
                          "--metric", "cpu", "--outputs", "printing")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--fmt", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--profiler")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vigil-why-") as place:
        folder = Path(place)
        state = given.keep or folder / "state"
        more = ["--profiler", given.profiler] if given.profiler else []
        bench = Bench(given.build.resolve() / "vigil", state, more)
        print("| change | instructions or bytes | row | first three rows | operator's row | took |"
              "\n| --- | --- | --- | --- | --- | --- |", flush=True)
        shop(bench, folder, given.only)
        if given.bench:
            tensorlab(bench, folder, given.only, given.bench.resolve())
        if given.fmt:
            fmt(bench, folder, given.only, given.fmt.resolve())
        print(f"\n{bench.named} of {bench.tried} are named in the first {FIRST} rows")


if __name__ == "__main__":
    main()
