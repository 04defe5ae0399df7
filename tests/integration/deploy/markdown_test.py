"""Titles and bodies of reports in every state, held against a Markdown linter: markdown_test.py
SOURCE_FOLDER. "skipped:" where tests/web/install could not install it."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
WEB = ROOT / "build/web"
REPORTS = sorted((ROOT / "tests/data/report").glob("*.md"))
TITLES = ROOT / "tests/data/report/titles.txt"


def lint(files):
    """@return  how it ended, and what it said"""
    script = WEB / "lint.mjs"  # beside the packages, where node looks for them
    script.write_text((ROOT / "tests/web/lint.mjs").read_text())
    done = subprocess.run(["node", script, *files], text=True, cwd=WEB, env=os.environ,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def main():
    if not (WEB / "node_modules/markdownlint").exists():
        print("skipped: tests/web/install did not install markdownlint")
        return 0
    bodies = [file for file in REPORTS if file.name != "README.md"]
    assert len(bodies) >= 14, bodies
    code, said = lint([*bodies, TITLES])
    assert code == 0, said
    print(said, end="")
    # It does find what it is there for.
    with tempfile.TemporaryDirectory(prefix="vigil-markdown-") as folder:
        torn = Path(folder) / "torn.md"
        torn.write_text("### One\ntext\n\n| a | b |\n|---|---|\n| 1 |\n<img src=x>\n")
        code, said = lint([bodies[0], torn])
        assert code == 1 and "MD056" in said and "MD022" in said and "MD033" in said, said
    return 0


sys.exit(main())
