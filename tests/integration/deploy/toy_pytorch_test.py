"""A toy PyTorch with forty submodules: from an index of wheels, with two variants and two ABIs, by
a backfill and the example's dynamo_bench.py, to the report that names the commit of a submodule.

usage: toy_pytorch_test.py BUILD_FOLDER"""

import functools
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from torch_wheel import make_source_tree  # noqa: E402

EXAMPLE = ROOT / "deploy" / "examples" / "pytorch"
OUTER, NESTED = 32, 8             # submodules; those of others
NIGHTS = (0, 1, 2, 3, 4, 5, 6, 7)  # commits of the nights before
MOVE, WORSE, COMMITS = 10, 13, 14
MOVED, SLOWER, NEWEST = 7, 4, 6   # which submodule; its commit that is slower, and its newest

# What makes of a source tree what a wheel holds: every submodule has a part in the time of a step.
BUILD_PY = """import json, os, pathlib
latency = 8.0
for file in sorted(pathlib.Path("third_party").rglob("factor")):
    latency *= float(file.read_text())
for local, factor in (("cpu", 1), ("cu126", 3)):
    for name in ("torch", "torchgen", "functorch"):
        os.makedirs(f"{local}/{name}")
        open(f"{local}/{name}/__init__.py", "w").close()
    with open(f"{local}/torch/plan.json", "w") as plan:
        json.dump({"latency_ms": latency * factor}, plan)
"""


class Repository:
    """A git repository; what is committed are its files and the submodules it is told of."""

    def __init__(self, folder):
        self.folder, self.commits, self.modules = Path(folder), [], {}
        self.folder.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")

    def _git(self, *arguments):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
            ("NAME", "author"), ("EMAIL", "author@example.invalid"),
            ("DATE", f"@{1_700_000_000 + len(self.commits)} +0000"))}
        return subprocess.run(["git", "-C", self.folder, *arguments], check=True, text=True,
                              stdout=subprocess.PIPE, env={**clean, **who}).stdout.strip()

    def commit(self, subject, files=None, modules=None):
        """modules: by path, repository and number of its commit"""
        for name, text in (files or {}).items():
            (self.folder / name).write_text(text)
            self._git("add", name)
        added = {path: one for path, one in (modules or {}).items() if path not in self.modules}
        if added:
            with (self.folder / ".gitmodules").open("a") as table:
                for path, (module, _) in added.items():
                    table.write(f'[submodule "{path}"]\n\tpath = {path}\n\turl = {module.folder}\n')
            self._git("add", ".gitmodules")
        for path, (module, number) in (modules or {}).items():
            self.modules[path] = module
            self._git("update-index", "--add", "--cacheinfo",
                      f"160000,{module.commits[number]},{path}")
        self._git("commit", "-q", "--allow-empty", "-m", subject)
        self.commits.append(self._git("rev-parse", "HEAD"))


def make_project(folder):
    """@return the project, and the submodule that it moves"""
    nested = []
    for number in range(NESTED):
        nested.append(Repository(folder / f"nested-{number}"))
        nested[-1].commit("start", {"factor": "1.0\n"})
    modules = []
    for number in range(OUTER):
        modules.append(Repository(folder / f"module-{number}"))
        modules[-1].commit("start", {"factor": "1.0\n"}, {
            "third_party/inner": (nested[number], 0)} if number < NESTED else None)
    for number in range(1, NEWEST + 1):
        modules[MOVED].commit(
            f"module {number}", {"factor": f"{1.25 if number >= SLOWER else 1.0}\n"})
    project = Repository(folder / "pytorch")
    project.commit("start", {"build.py": BUILD_PY, "README.md": "0\n"}, {
        f"third_party/m{number:02}": (module, 0) for number, module in enumerate(modules)})
    for number in range(1, COMMITS):
        if number == MOVE:
            project.commit(f"change {number}", {},
                           {f"third_party/m{MOVED:02}": (modules[MOVED], NEWEST)})
        else:
            project.commit(f"change {number}", {"README.md": f"{number}\n"})
    return project, modules[MOVED]


def check(truth, words):
    if not truth:
        raise AssertionError(words)


class Index:
    """Wheels on loopback: of each night both variants, and those of another ABI, which are slow."""

    def __init__(self, folder, project):
        self.project, self.wheels = project, folder / "torch"
        self.wheels.mkdir(parents=True)

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def add(self, night, commit):
        latency = 8.0 * (1.25 if commit >= MOVE else 1.0)
        for local, factor in (("cpu", 1), ("cu126", 3)):
            for abi, other in (("cp311", 1), ("cp311t", 7)):
                version = f"2.9.0.dev202505{night + 1:02}+{local}"
                file = f"torch-{version}-cp311-{abi}-manylinux_2_28_x86_64.whl"
                files = {
                    **{f"{name}/__init__.py": "" for name in ("torch", "torchgen", "functorch")},
                    "torch/plan.json": json.dumps({"latency_ms": latency * factor * other}),
                    "torch/version.py": f"git_version = '{self.project.commits[commit]}'\n",
                    f"torch-{version}.dist-info/METADATA": f"Name: torch\nVersion: {version}\n"}
                with zipfile.ZipFile(self.wheels / file, "w") as wheel:
                    for path, text in files.items():
                        wheel.writestr(path, text)
        (self.wheels / "index.html").write_text("".join(
            f'<a href="{file.name.replace("+", "%2B")}">{file.name}</a>\n'
            for file in sorted(self.wheels.glob("*.whl"))))


def config_of(stage, project, index):
    """The example's config, with its dynamo suite alone."""
    text = (EXAMPLE / "vigild.json").read_text()
    text = "\n".join(re.sub(r"(^|\s)//.*", "", line) for line in text.splitlines())
    text = text.replace("/usr/share/doc/vigil/deploy/examples/pytorch", str(EXAMPLE))
    config = json.loads(text.replace("/opt/pytorch\"", f"{stage.folder}/tree\""))
    config.update(state_dir=str(stage.folder / "vigild"), http={"port": 0})
    config["report_targets"]["reports"]["path"] = str(stage.folder / "reports")
    pytorch = config["projects"]["pytorch"]
    del pytorch["schedule"]
    del pytorch["source"]["version"]
    pytorch["source"].update(index=index.url, repository=str(project.folder),
                             local_version=["+cpu", "+cu126"])
    pytorch["recipe"] = {"outputs": ["cpu", "cu126"]}
    pytorch["source_recipe"] = {"commands": ["/usr/bin/python3 build.py"],
                                "outputs": ["cpu", "cu126"]}
    pytorch["suites"] = {"dynamo": pytorch["suites"]["dynamo"]}
    variants = pytorch["suites"]["dynamo"]["alexnet"]["variants"]
    del variants["bfloat16-inference"]
    pytorch["matrix"] = [{"suite": "dynamo", "machine_classes": ["xeon"]}]
    pytorch["judged"] = ["wall_time_ns"]  # which the stand-in says: it is exact
    return config


def play(folder, build):
    project, moved = make_project(folder / "repositories")
    index = Index(folder / "index", project)
    stage = Stage(folder, build)
    try:
        make_source_tree(folder / "tree")
        stage.start_daemon(config_of(stage, project, index))
        stage.start_worker("xeon-1", read_only_paths=[str(EXAMPLE), str(folder / "tree")])
        for night, commit in enumerate(NIGHTS):
            index.add(night, commit)
        stage.vigil("trigger", "pytorch")
        stage.wait_for_night(project.commits[NIGHTS[-1]])
        said = stage.vigil("backfill", "pytorch", "--nights", "30", "--wait")
        check(f"{len(NIGHTS) - 1} nights were measured, 0 steps" in said["message"], said)
        index.add(len(NIGHTS), WORSE)
        stage.vigil("trigger", "pytorch")
        stage.wait_for_night(project.commits[WORSE])
        (found,) = stage.items("regressions?limit=10")
        check(found["culprit"] == project.commits[MOVE], f"named {found}")
        variants = {series["variant"] for series in found["series"]}
        check(variants == {"float32-inference+cpu", "float32-inference+cu126"}, variants)
        report = stage.wait_for_report(moved.commits[SLOWER])
        for words in (f"In `third_party/m{MOVED:02}`", f"`module {SLOWER}`", "+25.0 %"):
            check(words in report, f"{words}: {report}")
        return report
    finally:
        stage.stop()
        index.server.shutdown()
        index.server.server_close()


def main():
    with tempfile.TemporaryDirectory(prefix="vigil-toy-pytorch-") as folder:
        began = time.monotonic()
        print(play(Path(folder), Path(sys.argv[1]).resolve()))
        print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
