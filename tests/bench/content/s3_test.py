"""Content in a store that speaks S3 (the npm package s3rver), with a real daemon and real workers.
Run `install` beside this once. usage: s3_test.py BUILD_FOLDER [TEST...]"""

import hashlib
import os
import sqlite3
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(Path(__file__).parent)]
sys.dont_write_bytecode = True
import bucket  # noqa: E402
from stage import Stage  # noqa: E402
from toy import Toy  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
CLASSES = ["first", "second"]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@unittest.skipIf(bucket.missing(), bucket.missing())
class Objects(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-content-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.stage = Stage(self.folder, BUILD)
        self.addCleanup(self.stage.stop)
        self.toy = Toy(self.folder / "origin", [100])
        self.bucket = bucket.Bucket(self.stage)
        self.addCleanup(self.bucket.stop)
        self.config = self.toy.config(
            self.folder, matrix=[{"suite": "core", "machine_classes": CLASSES}])
        self.config["machine_classes"] = {name: {} for name in CLASSES}
        self.config["workers"] = {name: {"machine_class": name} for name in CLASSES}
        self.config["object_store"] = self.bucket.config()
        self.config["ledger"] = {"content_max_bytes": 64 << 20}

    def begin(self):
        self.bucket.start()
        self.stage.start_daemon(self.config)

    def trigger(self):
        self.stage.vigil("trigger", "toy", "--revision", self.toy.revisions[0])
        self.stage.wait_for(
            "two jobs", lambda: len(self.stage.items("jobs?state=queued")) == len(CLASSES))

    def work(self, name):
        """One job of a worker. @return its log"""
        self.stage.start_worker(name, ["--once"])
        self.assertEqual(self.stage.children[name].wait(), 0)
        done = [job for job in self.stage.items("jobs?state=done")
                if job["machine_class"] == name]
        self.assertEqual(len(done), 1)
        return (self.folder / f"{name}.log").read_text()

    def until(self, words, question, limit_s=90):
        end = time.monotonic() + limit_s
        while not (answer := question()):
            self.assertLess(time.monotonic(), end, words)
            time.sleep(0.2)
        return answer

    def rows(self):
        """Digest to whether its copy is there."""
        with sqlite3.connect(f"file:{self.folder}/vigild/ledger.sqlite?mode=ro", uri=True) as db:
            found = db.execute("SELECT digest, sent_at_s FROM object_copy").fetchall()
        return {digest: sent is not None for digest, sent in found}

    def troubles(self):
        return [one["kind"] for one in self.stage.items("troubles?state=open")]

    def put(self, content):
        digest = hashlib.sha256(content).hexdigest()
        asking = self.stage.asking(f"/api/v1/content/{digest}?kind=product")
        asking.method, asking.data = "PUT", content
        urllib.request.urlopen(asking).close()
        return digest

    def wait_for_copy(self, digest):
        self.until("a copy", lambda: self.rows().get(digest))
        self.assertEqual(
            hashlib.sha256(self.bucket.kept()[digest].read_bytes()).hexdigest(), digest)

    def link(self, digest):
        """@return status, and where it sends"""
        asking = self.stage.asking(f"/api/v1/content/{digest}?redirect=true")
        try:
            with urllib.request.build_opener(Stay).open(asking) as reply:
                return reply.status, None
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Location"]

    def status_of(self, url):
        try:
            with urllib.request.urlopen(url) as reply:
                return reply.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_a_worker_gets_a_product_from_the_store_by_a_signed_link(self):
        self.begin()
        self.trigger()
        self.work("first")
        rows = self.until("copies", lambda: all(self.rows().values()) and self.rows())
        self.assertEqual(len(rows), 1)  # the product; the tree stays at the daemon
        self.assertEqual(set(self.bucket.kept()), set(rows))
        self.assertEqual(self.bucket.count("GET"), 0)
        self.assertNotIn("content.mirror_failed", self.work("second"))
        self.assertEqual(self.bucket.count("GET"), 1)
        self.assertEqual(self.bucket.count("PUT"), 1)
        for _, headers in self.bucket.seen:
            self.assertNotIn("authorization", {name.lower() for name in headers})
        self.assertNotIn("object_store.failed", self.troubles())

    def test_a_link_is_for_one_object_and_is_not_forged(self):
        self.begin()
        digest, other = self.put(b"a product"), self.put(b"another")
        self.wait_for_copy(digest)
        self.wait_for_copy(other)
        status, url = self.link(digest)
        self.assertEqual(status, 307)
        self.assertEqual(self.status_of(url), 200)
        self.assertEqual(self.status_of(url.replace(digest, other)), 403)
        self.assertEqual(self.status_of(url.split("?")[0]), 403)
        self.assertEqual(self.status_of(url[:-1] + ("0" if url[-1] != "0" else "1")), 403)
        with urllib.request.urlopen(self.stage.asking(f"/api/v1/content/{digest}")) as reply:
            self.assertEqual(reply.read(), b"a product")  # who asks for no redirect gets none

    def test_wrong_bytes_and_a_missing_object_are_survived(self):
        self.begin()
        self.trigger()
        self.work("first")
        self.until("copies", lambda: self.rows() and all(self.rows().values()))
        for file in self.bucket.kept().values():
            content = bytearray(file.read_bytes())
            content[-1] ^= 1
            file.write_bytes(content)
        log = self.work("second")
        self.assertIn(" content.wrong_bytes ", log)
        self.assertEqual(log.count("content.mirror_failed"), 1)

    def test_a_store_that_is_down_is_a_trouble_that_ends(self):
        self.stage.start_daemon(self.config)
        self.trigger()
        self.work("first")
        self.until("a trouble", lambda: "object_store.failed" in self.troubles())
        self.work("second")
        self.bucket.start()
        self.until("copies", lambda: all(self.rows().values()))
        self.until("the trouble's end", lambda: "object_store.failed" not in self.troubles())

    def test_a_killed_daemon_sends_again_what_it_had_not_noted(self):
        self.begin()
        digest = self.put(os.urandom(50 << 20))
        self.until("the row", lambda: digest in self.rows())
        self.stage.kill("vigild")
        self.assertEqual(self.rows(), {digest: False})
        self.stage.restart_daemon()
        self.wait_for_copy(digest)
        self.assertEqual(set(self.bucket.kept()), {digest})

    def test_what_leaves_the_content_store_leaves_the_bucket(self):
        self.begin()
        old = self.put(os.urandom(40 << 20))
        self.wait_for_copy(old)
        time.sleep(1.1)  # used longest ago
        new = self.put(os.urandom(40 << 20))
        self.wait_for_copy(new)
        self.stage.children["vigild"].terminate()
        self.stage.children["vigild"].wait()
        self.stage.restart_daemon()  # it makes room at its start
        self.until("a removal", lambda: set(self.rows()) == {new})
        self.assertEqual(set(self.bucket.kept()), {new})
        self.assertEqual(self.link(old), (404, None))


if __name__ == "__main__":
    unittest.main(verbosity=2)
