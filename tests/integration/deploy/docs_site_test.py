"""The documentation site: what is built, what the daemon serves of it, and that the tutorial and
the configs of the how-to pages work as pasted. usage: docs_site_test.py BUILD_FOLDER"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
from stage import Stage  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
NEEDED = ("mkdocs", "chromium", "node", "npm")


def blocks(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="vigil-docs-site-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name).resolve()


class Built(Case):
    def build(self, **environment):
        return subprocess.run(
            [ROOT / "deploy/docs/build", BUILD, self.folder / "work", self.folder / "site"],
            env={**os.environ, **environment}, text=True, capture_output=True)

    def test_it_is_left_out_where_nothing_can_build_it_and_an_error_where_it_must_be_built(self):
        nothing = str(self.folder / "bin")  # where there is no mkdocs
        os.mkdir(nothing)
        for name in ("bash", "dirname", "basename", "mkdir", "rm", "env"):
            os.symlink(shutil.which(name), f"{nothing}/{name}")
        done = self.build(PATH=nothing)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "The documentation site is not built, and /docs is absent: "
                                      "there is no mkdocs.\n")
        self.assertFalse((self.folder / "site").exists())
        done = self.build(PATH=nothing, VIGIL_DOCS="on")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "deploy/docs/build: there is no mkdocs\n"))

    def test_the_contents_name_every_page(self):
        named = set(re.findall(r": (\S+\.md)$", (ROOT / "deploy/docs/mkdocs.yml").read_text(),
                               re.MULTILINE))
        pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
        self.assertEqual({name for name in named if not name.startswith("reference/")}, pages)

    def test_every_link_leads_somewhere_and_nothing_is_inline(self):
        if not all(map(shutil.which, NEEDED)):
            self.skipTest(f"needs {', '.join(NEEDED)}")
        done = self.build(VIGIL_DOCS="auto")
        if "npm could not install" in done.stdout:
            self.skipTest("no registry is within reach")
        self.assertEqual(done.returncode, 0, done.stderr)  # it ends with 1 where a link is dead
        site = self.folder / "site"
        for page in ("index", "tutorial", "find", "404", "reference/config", "reference/commands",
                     "reference/rest", "reference/metrics", "how-to/gitlab"):
            self.assertTrue((site / f"{page}.html").is_file(), page)
        self.assertIn("vigil_build_info", (site / "reference/metrics.html").read_text())
        keys = (site / "reference/config.html").read_text()
        self.assertIn("projects.&lt;project&gt;.search", keys)
        self.assertIn("<math", (site / "detection.html").read_text())
        drawn = list((site / "drawings").glob("*.svg"))
        self.assertEqual(len(drawn), sum(len(blocks(page.read_text(), "mermaid"))
                                         for page in (ROOT / "docs").rglob("*.md")))
        places = [one["location"]
                  for one in json.loads((site / "search/search_index.json").read_text())["docs"]]
        self.assertIn("tutorial.html#1-a-repository", places)


class Served(Case):
    """By a program that was installed; the site is made up."""

    def setUp(self):
        super().setUp()
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.folder / "usr"], check=True,
                       stdout=subprocess.DEVNULL)
        self.site = self.folder / "usr/share/vigil/docs-site"
        shutil.rmtree(self.site, ignore_errors=True)

    def start(self):
        stage = Stage(self.folder / "stage", self.folder / "usr/bin")
        self.addCleanup(stage.stop)
        stage.start_daemon({"state_dir": str(stage.state_dir),
                            "http": {"address": "127.0.0.1", "port": 0, "open_pages": "local"}})
        self.url = stage.url

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path) as answer:
                return answer.status, answer.read().decode(), answer.headers, answer.url
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers, self.url + path

    def test_without_a_site_it_says_what_makes_one(self):
        self.start()
        status, text, _, _ = self.get("/docs")
        self.assertEqual(status, 404)
        self.assertIn("deploy/docs/build makes one", text)
        self.assertNotIn('href="/docs"', self.get("/")[1])

    def test_a_site_is_served_and_linked_and_nothing_beside_it(self):
        for name in ("figures", "a/b"):
            (self.site / name).mkdir(parents=True)
        (self.site / "index.html").write_text("<p>the start</p>")
        (self.site / "404.html").write_text("<p>no such page</p>")
        (self.site / "figures/one.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        (self.site / "a/b/deep.html").write_text("deep")
        self.start()
        status, text, headers, url = self.get("/docs")
        self.assertEqual((status, text), (200, "<p>the start</p>"))
        self.assertEqual(url, self.url + "/docs/index.html")
        self.assertIn("script-src 'self'", headers["content-security-policy"])
        self.assertNotIn("unsafe-inline", headers["content-security-policy"])
        self.assertEqual(self.get("/docs/index.html?q=words")[0], 200)
        status, _, headers, _ = self.get("/docs/figures/one.svg")
        self.assertEqual((status, headers["content-type"]), (200, "image/svg+xml"))
        self.assertEqual(self.get("/docs/nothing.html")[:2], (404, "<p>no such page</p>"))
        for path in ("/docs/figures/none.svg", "/docs/..%2f..%2fbin/vigild", "/docs/a/b/deep.html",
                     "/docs/figures/..", "/docs/../../../bin/vigild"):
            self.assertIn(self.get(path)[0], (400, 404), path)
        self.assertIn('href="/docs"', self.get("/")[1])


class Pasted(Case):
    def test_the_tutorial_ends_with_the_culprit(self):
        port = free_port()
        lines = []
        for block in blocks((ROOT / "docs/tutorial.md").read_text(), "sh"):
            for line in block.splitlines():
                lines.append(line)
                if line == "vigil init":  # the tutorial's port may be taken here
                    lines.append(f"sed -i s/8321/{port}/ vigil/*.json")
        script = self.folder / "tutorial.sh"
        # Not even a failure leaves a daemon behind.
        script.write_text("trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\n" + "\n".join(lines))
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("GIT_", "VIGIL_"))}
        environment.update(PATH=f"{BUILD}:{os.environ['PATH']}",
                           VIGIL_SERVER=f"http://127.0.0.1:{port}", HOME=str(self.folder))
        self.folder.chmod(0o755)  # jobs of root's worker are another user
        done = subprocess.run(["bash", script], cwd=self.folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout
        self.assertIn("1 open, 1 new", said)
        report = (self.folder / "words/vigil/reports/words-regression-1.md").read_text()
        self.assertIn("Tabs and ends of lines part words, too", report)
        self.assertIn("verified against its parent", report)
        self.assertIn("verified against its parent", said)  # it was shown, too
        self.assertRegex(said, r"why: .*profiled")

    def test_vigild_takes_the_configs_of_the_how_to_pages(self):
        pages = sorted((ROOT / "docs/how-to").glob("*.md"))
        self.assertGreaterEqual(len(pages), 4)
        for page in pages:
            with self.subTest(page.name):
                folder = self.folder / page.stem
                folder.mkdir()
                for block in blocks(page.read_text(), "sh"):
                    subprocess.run(["bash", "-eu", "-c", block], cwd=folder, check=True)
                [config] = blocks(page.read_text(), "json")
                (folder / "vigild.json").write_text(config)
                done = subprocess.run([BUILD / "vigild", "--config", folder / "vigild.json",
                                       "--check-config"], text=True, capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
