"""Says why a verified culprit is slower, with a real daemon and real workers: a commit is planted
whose function does more work, asks for more memory, or does both. REST, the page, the report and
the command line name it. The profiles are one job, beside no measured run and behind all of them;
one that runs ends when something is to be measured, and is made again. A daemon that is killed
meanwhile repeats nothing. Without valgrind perf samples both sides; without perf, too, it is
reported.

usage: why.py BUILD_FOLDER"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402
from why_toys import Doing, Keeping, Mixing, Working  # noqa: E402

COMMITS, CULPRIT = 7, 4


def check(truth, words):
    if not truth:
        raise AssertionError(words)


def make_config(toy, folder, port):
    config = toy.config(folder)
    config["http"]["port"] = port
    core = config["projects"]["toy"]["suites"]["core"]
    core["value"]["command"] = ["out/bench"]
    if toy.printed:
        core["value"]["samples"].update(toy.printed)
        config["projects"]["toy"]["judged"] = [toy.printed["printed"]]
    else:
        core["value"]["samples"] = {"format": "vigil"}
        config["projects"]["toy"]["judged"] = ["cpu_time_ns", "peak_alloc_bytes"]
    return config


def attempts(stage):
    """Of all jobs: worker, begin, end, and whether it profiled."""
    found = []
    for job in stage.items("jobs"):
        whole = stage.get(f"/api/v1/jobs/{job['id']}")
        profiled = any(one.get("profiled") for one in whole["plan"]["benchmarks"])
        for one in whole["attempts"]:
            found.append((one["worker"], one["claimed_at_s"], one["ended_at_s"], profiled,
                          job["id"]))
    return found


def play(folder, build, start_worker, kill=False, kind=Mixing, disturb=None, hold="/nowhere"):
    """@param disturb  is called with stage and toy once a profile runs
    @param hold  while this file is there, a profile goes on
    @return the stage's regression, once its culprit was profiled, with the stage itself"""
    toy = kind(folder / "origin", [100 if i < CULPRIT else 130 for i in range(COMMITS + 1)], hold)
    stage = Stage(folder, build)
    try:
        return stage, toy, profiled(stage, toy, start_worker, kill, disturb)
    except BaseException:
        stage.stop()  # nobody else has it
        raise


def profiled(stage, toy, start_worker, kill, disturb):
    """@return the regression, once its culprit was profiled"""
    folder = stage.folder
    stage.start_daemon(make_config(toy, folder, 0))
    port = int(stage.url.rsplit(":", 1)[1])
    stage.kill("vigild")
    stage.start_daemon(make_config(toy, folder, port))
    start_worker(stage)
    stage.vigil("trigger", "toy", "--revision", toy.revisions[0])
    stage.wait_for_night(toy.revisions[0])
    stage.vigil("trigger", "toy", "--revision", toy.revisions[COMMITS - 1])
    killed = []

    def explained():
        try:
            for one in stage.items("regressions?limit=10"):
                found = stage.get(f"/api/v1/regressions/{one['id']}", tries=1)
                why = found["why"]
                if kill and not killed and why and why["state"] == "profiling":
                    killed.append(True)
                    stage.kill("vigild")
                    stage.restart_daemon()
                    return None
                if disturb and not killed and why and why["state"] == "profiling":
                    job = stage.get(f"/api/v1/jobs/{why['job']}", tries=1)
                    if job["state"] == "leased":
                        killed.append(True)
                        disturb(stage, toy)
                if why and why["state"] == "done":
                    return found
        except OSError:
            return None
        return None

    regression = stage.wait_for("the profiles", explained)
    check(killed or not (kill or disturb), "nothing happened while it waited for the profiles")
    check(regression["culprit"] == toy.revisions[CULPRIT], f"named {regression['culprit']}")
    return regression


def named(folder, build, kill):
    stage = None
    try:
        stage, toy, regression = play(
            folder, build, lambda stage: stage.start_worker("worker-1"), kill)
        why = regression["why"]
        check(why["found"], f"nothing was found: {why}")
        first = why["found"]["rows"][0]
        check((first["function"], first["file"], first["touched"]) == ("mix", "mix.c", True),
              f"the first row is {first}")
        check(first["share"] > 0.9 and first["after"] > 1.2 * first["before"], f"{first}")
        check(why["worker"] == "worker-1", f"profiled by {why['worker']}")
        report = stage.wait_for_report(
            "| `mix`, mostly at `mix.c:3` | `mix.c`, **changed by the culprit** |")
        check(report.index("### What is worse") < report.index("### Why it is slower"),
              "why stands before what is worse")
        token = (stage.state_dir / "admin.token").read_text().strip()
        page = urllib.request.Request(
            f"{stage.url}/regressions/{regression['id']}",
            headers={"Authorization": f"Bearer {token}", "Accept": "text/html"})
        with urllib.request.urlopen(page, timeout=60) as reply:
            check("Why it is slower" in reply.read().decode(), "the page does not say why")
        # By hand: what is known is told, and nothing is profiled again.
        told = stage.vigil("regression", "why", str(regression["id"]))
        check(told["found"] == why["found"], f"the command says {told}")
        done = attempts(stage)
        profiled = {job for *_, is_profile, job in done if is_profile}
        check(len(profiled) == 1, f"{len(profiled)} jobs profiled")
        by_worker = {}
        for worker, begun, ended, *_ in done:
            by_worker.setdefault(worker, []).append((begun, ended))
        for spans in by_worker.values():
            spans.sort()
            for (_, ended), (begun, _) in zip(spans, spans[1:]):
                check(ended is not None and ended <= begun, f"two jobs at once: {spans}")
        last_measured = max(begun for _, begun, _, is_profile, _ in done if not is_profile)
        profile_began = min(begun for _, begun, _, is_profile, _ in done if is_profile)
        check(last_measured <= profile_began, "something that was measured waited for a profile")
        # Again, because a person asks.
        again = stage.vigil("regression", "why", str(regression["id"]), "--again")
        check(again["state"] == "listing" and again["by_hand"], f"asked again: {again}")
        stage.wait_for("the profiles again", lambda: stage.get(
            f"/api/v1/regressions/{regression['id']}")["why"]["state"] == "done")
        check(len({job for *_, is_profile, job in attempts(stage) if is_profile}) == 2,
              "asked again, it was not profiled again")
    finally:
        if stage:
            stage.stop()


def memory(folder, build):
    stage = None
    try:
        stage, _, regression = play(
            folder, build, lambda stage: stage.start_worker("worker-1"), False, Keeping)
        found = regression["why"]["found"]
        check(found and found["unit"] == "peak_bytes", f"nothing was found: {regression['why']}")
        first = found["rows"][0]
        check((first["function"], first["file"], first["touched"]) == ("more", "mix.c", True),
              f"the first row is {first}")
        check((first["before"], first["after"]) == (1_000_000, 1_300_000) and
              first["calls_before"] == first["calls_after"] == 1, f"{first}")
        check(first["share"] > 0.99, f"{first}")
        report = stage.wait_for_report("| `more` | `mix.c`, **changed by the culprit** |")
        check("### Why it takes more memory" in report, "the report does not say memory")
        token = (stage.state_dir / "admin.token").read_text().strip()
        for path in (regression["why"]["flame"], f"/regressions/{regression['id']}/flame.svg"):
            asked = urllib.request.Request(
                stage.url + path, headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(asked, timeout=60) as reply:
                check(reply.headers["content-type"] == "image/svg+xml" and
                      b"<title>more: 976.6 KiB before, 1.240 MiB after</title>" in reply.read(),
                      f"{path} is no flame graph")
    finally:
        if stage:
            stage.stop()


def both(folder, build):
    """Time and memory got worse: both are told, by one job."""
    stage = None
    try:
        stage, _, regression = play(
            folder, build, lambda stage: stage.start_worker("worker-1"), kind=Doing)
        found = regression["why"]["found"]
        check(found and found["unit"] == "instructions", f"nothing was found: {regression['why']}")
        check(found["rows"][0]["function"] == "mix", f"the first row is {found['rows'][0]}")
        beside = {one["unit"]: one for one in found.get("beside", [])}
        check(list(beside) == ["peak_bytes"], f"beside: {list(beside)}")
        first = beside["peak_bytes"]["rows"][0]
        check((first["function"], first["before"], first["after"]) ==
              ("more", 1_000_000, 1_300_000), f"the first row of memory is {first}")
        report = stage.wait_for_report("### Why it takes more memory")
        check(report.index("### Why it is slower") < report.index("| `mix`") <
              report.index("### Why it takes more memory") < report.index("| `more` | `mix.c`"),
              "the report does not tell both")
        profiles = {job for *_, is_profile, job in attempts(stage) if is_profile}
        check(len(profiles) == 1, f"{len(profiles)} jobs profiled")
    finally:
        if stage:
            stage.stop()


def disturbed(folder, build):
    """A nightly comes while a profile runs that does not end by itself before the night is over."""
    stage = None
    hold = folder / "hold" / "on"
    hold.parent.mkdir()
    hold.touch()

    def measure(stage, toy):
        stage.vigil("trigger", "toy", "--revision", toy.revisions[COMMITS])
        stage.wait_for_night(toy.revisions[COMMITS])
        hold.unlink()

    try:
        stage, toy, regression = play(
            folder, build, lambda stage: stage.start_worker(
                "worker-1", read_only_paths=[str(hold.parent)]), disturb=measure,
            hold=hold)
        check(regression["why"]["found"], f"nothing was found: {regression['why']}")
        done = sorted(attempts(stage), key=lambda one: one[1])
        profiles = [one for one in done if one[3]]
        check(len(profiles) == 2, f"it was profiled {len(profiles)} times")
        (_, _, ended, _, _), (_, again, _, _, _) = profiles
        nightly = [one for one in done if not one[3] and one[1] >= ended]
        check(nightly, "what was measured waited for the profile")
        check(all(one[2] <= again for one in nightly), "the profile came before what is measured")
        first = stage.get(f"/api/v1/jobs/{profiles[0][4]}")
        check(first["state"] == "cancelled", f"the first profile is {first['state']}")
    finally:
        if stage:
            stage.stop()


def hidden(*programs):
    """Starts a worker whose own view of the machine has none of these."""
    hide = "".join(f'if command -v {one} >/dev/null; then mount --bind /dev/null '
                   f'"$(command -v {one})" || exit 1; fi; ' for one in programs)
    unshared = ["unshare", "--mount", "sh", "-c", hide + 'exec "$@"', "sh"]

    def start_worker(stage):
        start = stage.start
        stage.start = lambda name, command: start(
            name, unshared + command if name == "worker-1" else command)
        stage.start_worker("worker-1")
        stage.start = start
    return start_worker


def sampled(folder, build):
    """Without valgrind, perf tells."""
    stage = None
    try:
        stage, _, regression = play(folder, build, hidden("valgrind"), kind=Working)
        found = regression["why"]["found"]
        check(found and found["unit"] == "samples", f"nothing was found: {regression['why']}")
        first = found["rows"][0]
        check((first["function"], first["file"], first["touched"]) == ("mix", "mix.c", True),
              f"the first row is {first}")
        check(first["share"] > 0.5 and first["after"] > first["before"] > 100, f"{first}")
        stage.wait_for_report("was sampled by perf at even times")
    finally:
        if stage:
            stage.stop()


def why_no_perf():
    if not shutil.which("perf"):
        return "perf is not installed: apt-get install linux-perf"
    with tempfile.NamedTemporaryFile() as file:
        tried = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", file.name,
                                "true"], capture_output=True)
    return tried.stderr.decode().strip()[-200:] if tried.returncode else ""


def missing(folder, build):
    stage = None
    try:
        stage, _, regression = play(folder, build, hidden("valgrind", "perf"), False)
        why = regression["why"]
        check(not why["found"] and why["job"] is None, f"a job was asked for: {why}")
        check("has no valgrind" in why["reason"] and
              "apt-get install valgrind linux-perf" in why["reason"],
              f"the reason is {why['reason']}")
        stage.wait_for_report("Not known: worker worker-1, which verified the culprit")
    finally:
        if stage:
            stage.stop()


def main():
    build = Path(sys.argv[1]).resolve()
    if not shutil.which("valgrind"):
        print("not tested: valgrind is not installed: apt-get install valgrind")
        return
    cases = [("it is named", lambda folder: named(folder, build, False)),
             ("the daemon was killed", lambda folder: named(folder, build, True)),
             ("memory", lambda folder: memory(folder, build)),
             ("time and memory", lambda folder: both(folder, build)),
             ("something was to be measured", lambda folder: disturbed(folder, build))]
    can_hide = os.geteuid() == 0 and subprocess.run(
        ["unshare", "--mount", "true"], capture_output=True).returncode == 0
    no_perf = why_no_perf()
    if can_hide:
        cases.append(("without valgrind and perf", lambda folder: missing(folder, build)))
    if can_hide and not no_perf:
        cases.append(("without valgrind", lambda folder: sampled(folder, build)))
    for words, case in cases:
        with tempfile.TemporaryDirectory(prefix="vigil-why-") as folder:
            began = time.monotonic()
            case(Path(folder))
            print(f"{words}: {time.monotonic() - began:.0f} s", flush=True)
    if no_perf:
        print(f"samples: not tested: {no_perf}")
    if not can_hide:
        print("without valgrind: not tested, this machine does not let it be hidden")


if __name__ == "__main__":
    main()
