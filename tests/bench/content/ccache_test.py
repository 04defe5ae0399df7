"""Two workers share a compiler cache by HTTP: Debian's nginx as docs/fleet.md has it. What one of
them compiled, the other one takes; with nginx gone both go on. It needs the packages beside it and
is run by itself.
usage: ccache_test.py BUILD_FOLDER"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
from proxy import MAIN, free_port, missing, wait_for_port  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
COMPILE = ("for i in 1 2 3; do echo \"int f$i(int a) { return a * $i; }\" > f$i.c && "
           "cc -O2 -c f$i.c -o out/f$i.o || exit 1; done")


def documented():
    """The location of docs/fleet.md."""
    return re.search(r"^location /ccache/ .*$", (ROOT / "docs/fleet.md").read_text(), re.M)[0]


class Ccache(unittest.TestCase):
    def setUp(self):
        if missing():
            self.skipTest(missing())
        place = tempfile.TemporaryDirectory(prefix="vigil-ccache-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.toy = Toy(self.folder / "origin", [100, 100, 100])
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.start_nginx()
        recipe = {"commands": ["sh build.sh", COMPILE], "outputs": ["out"]}
        self.stage.start_daemon(self.toy.config(self.folder, recipe=recipe))
        (self.folder / "cache.token").touch(mode=0o600)
        (self.folder / "cache.token").write_text("secret\n")

    def start_nginx(self):
        self.nginx = self.folder / "nginx"
        self.nginx.mkdir()
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/ccache"
        place = documented().replace("/srv", str(self.nginx)).replace(
            "10.0.0.0/8", "127.0.0.1")
        (self.nginx / "content.conf").write_text(
            f"server {{ listen 127.0.0.1:{port}; {place} }}\n")
        (self.nginx / "nginx.conf").write_text(
            MAIN.format(folder=self.nginx).replace(
                "access_log", "log_format ours '$request_method $status $http_authorization';\n"
                "    access_log", 1).replace("access.log;", "access.log ours;"))
        self.stage.start("nginx", ["/usr/sbin/nginx", "-c", self.nginx / "nginx.conf"])
        wait_for_port(port)

    def asked(self):
        return (self.nginx / "access.log").read_text().splitlines()

    def night(self, worker, revision):
        self.stage.start_worker(
            worker, ("--until-idle", 3), ccache_dir=self.url, ccache_writers="nightly",
            ccache_token_file=str(self.folder / "cache.token"))
        self.stage.vigil("trigger", "toy", "--revision", revision)
        self.stage.wait_for_night(revision)
        ended = self.stage.children[worker]
        self.stage.wait_for("the worker's end", lambda: ended.poll() is not None)
        return (self.folder / f"{worker}.log").read_text()

    def test_what_one_compiled_the_other_takes(self):
        first = self.night("worker-1", self.toy.revisions[0])
        puts = [line for line in self.asked() if line.startswith("PUT")]
        self.assertGreaterEqual(len(puts), 3)
        self.assertEqual({line.split()[1] for line in puts}, {"201"})
        self.assertEqual({line.split(" ", 2)[2] for line in self.asked()}, {"Bearer secret"})
        self.assertRegex(first, r"ccache.used hits=0 stored=\d+")
        second = self.night("worker-2", self.toy.revisions[1])
        used = re.search(r"ccache.used hits=(\d+) stored=0", second)
        self.assertIsNotNone(used, second[-2000:])
        self.assertGreaterEqual(int(used[1]), 3)
        self.stage.children["nginx"].terminate()  # its own worker ends with it
        self.stage.children["nginx"].wait()
        third = self.night("worker-1", self.toy.revisions[2])
        self.assertIn("ccache.unreachable", third)
        self.assertEqual(self.stage.night_of(self.toy.revisions[2])["state"], "done")


if __name__ == "__main__":
    unittest.main()
