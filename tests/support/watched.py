"""Runs a test as long as it moves. A limit of wall time fails on a machine that does other work
too; here a test is failed when it and all it started stand still, or when they used more
processor time than they may, which load beside them changes little. Standard library only.

usage: watched.py CPU_LIMIT_S COMMAND [ARGUMENT ...]

Ends as the command does, 128 + N after signal N; 124 when it was ended. VIGIL_STILL_S (default 600)
is the length of time in which it must have had 2 % of a processor; VIGIL_LAST_WORDS_S (20) is what
it has to clean up before it is killed."""

import collections
import ctypes
import os
import resource
import signal
import sys
import time
from pathlib import Path

LEAST_SHARE = 0.02  # one of fifty that want the same processor still has it
PR_SET_CHILD_SUBREAPER = 36
TICKS = os.sysconf("SC_CLK_TCK")


def processes():
    """@return by pid: parent, seconds of processor time with those of ended children"""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has just ended
        found[int(stat.parent.name)] = (
            int(fields[1]), sum(int(field) for field in fields[11:15]) / TICKS)
    return found


def family(seen):
    """Those of them that this process started, directly or not."""
    ours = {os.getpid()}
    while True:
        more = {pid for pid, (parent, _) in seen.items() if parent in ours} - ours
        if not more:
            return ours - {os.getpid()}
        ours |= more


def used_s():
    seen = processes()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(seen[pid][1] for pid in family(seen)) + ended.ru_utime + ended.ru_stime


def words_of(pid):
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return ""
    return f"    {pid} {line.decode(errors='replace').strip()[:150]}"


class Watch:
    """The test's processor time over the last stretch of wall time."""

    def __init__(self, cpu_limit_s, still_s):
        self.cpu_limit_s, self.still_s = cpu_limit_s, still_s
        self.seen = collections.deque([(time.monotonic(), 0.0)])

    def trouble(self):
        """@return why the test has to end; None: it moves"""
        now, used = time.monotonic(), used_s()
        if used > self.cpu_limit_s:
            return f"it used {used:.0f} s of processor time; it may use {self.cpu_limit_s:g} s"
        self.seen.append((now, used))
        while len(self.seen) > 1 and now - self.seen[1][0] >= self.still_s:
            self.seen.popleft()
        began, before = self.seen[0]
        if now - began >= self.still_s and used - before < LEAST_SHARE * (now - began):
            return (f"it stands still: {used - before:.1f} s of processor time "
                    f"in the last {now - began:.0f} s")
        return None


def reap(child):
    """Takes leave of all that have ended. @return the child's status once it is among them"""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if pid == 0:
            return None
        if pid == child:
            return status


def end(child):
    """As Ctrl-C would, so that it can write down what it was at and end its own processes; then for
    good."""
    os.kill(child, signal.SIGINT)
    deadline = time.monotonic() + float(os.environ.get("VIGIL_LAST_WORDS_S", "20"))
    while time.monotonic() < deadline:
        signal.sigtimedwait({signal.SIGCHLD}, 1)
        if reap(child) is not None:
            break
    for pid in family(processes()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    still_s = float(os.environ.get("VIGIL_STILL_S", "600"))
    watch = Watch(float(sys.argv[1]), still_s)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # what it leaves behind is its own
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        try:
            os.execvp(sys.argv[2], sys.argv[2:])
        except OSError as error:
            print(f"watched: {sys.argv[2]}: {error.strerror}", file=sys.stderr, flush=True)
            os._exit(127)
    while True:
        signal.sigtimedwait({signal.SIGCHLD}, min(5, still_s / 4))
        status = reap(child)
        if status is not None:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        trouble = watch.trouble()
        if trouble:
            print(f"watched: {trouble}. It runs:", file=sys.stderr)
            for pid in sorted(family(processes())):
                print(words_of(pid), file=sys.stderr)
            sys.stderr.flush()
            end(child)
            return 124


if __name__ == "__main__":
    sys.exit(main())
