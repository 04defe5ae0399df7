"""Workers that get content through Debian's nginx, as deploy/nginx has it, before a real daemon.
It needs the packages beside it and is run by itself. usage: cache_test.py BUILD_FOLDER [TEST...]"""

import concurrent.futures
import hashlib
import os
import re
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(Path(__file__).parent)]
sys.dont_write_bytecode = True
import proxy  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
CLASSES = ["first", "second", "third"]


@unittest.skipIf(proxy.missing(), proxy.missing())
class Cache(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-content-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.toy = Toy(self.folder / "origin", [100])
        config = self.toy.config(
            self.folder, matrix=[{"suite": "core", "machine_classes": CLASSES}])
        config["machine_classes"] = {name: {} for name in CLASSES}
        config["workers"] = {name: {"machine_class": name} for name in CLASSES}
        self.stage.start_daemon(config)
        self.cache = proxy.Proxy(self.stage)
        self.cache.start()

    def trigger(self):
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[0])
        self.stage.wait_for("three jobs", lambda: len(self.stage.items("jobs?state=queued")) == 3)

    def work(self, name):
        """One job of a worker. @return its log"""
        self.stage.start_worker(name, ["--once"], content_from=self.cache.url)
        self.assertEqual(self.stage.children[name].wait(), 0)
        done = [job for job in self.stage.items("jobs?state=done")
                if job["machine_class"] == name]
        self.assertEqual(len(done), 1)
        return (self.folder / f"{name}.log").read_text()

    def answers(self, status):
        """How many of the daemon's for content had this status."""
        text = urllib.request.urlopen(self.stage.asking("/metrics")).read().decode()
        found = re.search(
            r'vigil_http_requests_total\{route="/api/v1/content/\{digest\}",status="%d"\} (\d+)'
            % status, text)
        return int(found[1]) if found else 0

    def fetch(self, digest, secret=None, url=None):
        """@return status and bytes"""
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        asking = urllib.request.Request(
            f"{url or self.cache.url}/api/v1/content/{digest}", headers=headers)
        try:
            with urllib.request.urlopen(asking, timeout=120) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, b""

    def put(self, content):
        digest = hashlib.sha256(content).hexdigest()
        asking = self.stage.asking(f"/api/v1/content/{digest}?kind=product")
        asking.method, asking.data = "PUT", content
        urllib.request.urlopen(asking).close()
        return digest

    def test_two_workers_get_one_product_and_the_daemon_sends_it_once(self):
        self.trigger()
        for name in CLASSES:
            self.assertNotIn("content.mirror_failed", self.work(name))
        self.assertEqual(len(self.cache.kept()), 2)  # the tree, and what the first one built of it
        self.assertEqual(self.answers(206), 2)
        self.assertEqual(len(self.stage.items("jobs?state=done")), 3)

    def test_wrong_bytes_of_a_cache_are_seen_and_the_daemon_is_asked(self):
        self.trigger()
        self.work("first")
        self.work("second")
        for file in self.cache.kept():
            content = bytearray(file.read_bytes())
            content[-1] ^= 1
            file.write_bytes(content)
        log = self.work("third")
        self.assertIn(" level=warn worker=third content.wrong_bytes ", log)
        self.assertEqual(log.count("content.mirror_failed"), 1)

    def test_a_cache_that_is_down_is_survived_and_told_once(self):
        self.trigger()
        self.work("first")
        self.cache.stop()
        for name in CLASSES[1:]:
            self.assertEqual(self.work(name).count("content.mirror_failed"), 1)

    def test_a_large_product_is_sent_once_to_all_who_ask_at_once(self):
        content = os.urandom(40 << 20)
        digest = self.put(content)
        secret = self.stage.vigil("token", "add", "first", "--scope", "worker")["secret"]
        with concurrent.futures.ThreadPoolExecutor(8) as workers:
            got = list(workers.map(lambda _: self.fetch(digest, secret), range(8)))
        for status, body in got:
            self.assertEqual(status, 200)
            self.assertEqual(hashlib.sha256(body).hexdigest(), digest)
        self.assertEqual(self.answers(206), 3)  # pieces of 16 MiB

    def test_who_has_no_token_gets_no_content_though_the_cache_has_it(self):
        digest = self.put(b"a product" * 1000)
        secret = self.stage.vigil("token", "add", "first", "--scope", "worker")["secret"]
        reader = self.stage.vigil("token", "add", "reader", "--scope", "read")["secret"]
        stranger = self.stage.vigil("token", "add", "stranger", "--scope", "worker")["secret"]
        self.assertEqual(self.fetch(digest), (401, b""))
        self.assertEqual(self.fetch(digest, secret), (200, b"a product" * 1000))
        self.assertEqual(len(self.cache.kept()), 1)
        self.assertEqual(self.fetch(digest), (401, b""))
        self.assertEqual(self.fetch(digest, "0" * 64), (401, b""))
        self.assertEqual(self.fetch(digest, reader)[0], 403)
        self.assertEqual(self.fetch(digest, stranger)[0], 403)  # the config has no such worker
        self.stage.vigil("token", "revoke", "first")
        self.assertEqual(self.fetch(digest, secret), (401, b""))
        self.assertEqual(self.answers(206), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
