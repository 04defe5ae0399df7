"""service/web/build where there is no node, where scripts have to be built, and where they are not
wanted: scripts_test.py SOURCE_FOLDER. What it makes is checked by integration_browser_*."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()


def build(folder, wish, path):
    """@return  how the build ended, and what it said"""
    done = subprocess.run(
        ["/bin/bash", ROOT / "service/web/build", folder / "work", folder / "out"], text=True,
        env=os.environ | {"VIGIL_SCRIPTS": wish, "PATH": path}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="vigil-scripts-") as place:
        folder = Path(place)
        # What the build itself needs, and nothing else.
        tools = folder / "tools"
        tools.mkdir()
        for name in ("dirname", "rm", "mkdir", "touch", "sha256sum", "cut", "cat"):
            (tools / name).symlink_to(f"/usr/bin/{name}")
        (folder / "out").mkdir()
        (folder / "out" / "vigil-OLD.js").touch()

        code, said = build(folder, "auto", str(tools))
        assert code == 0 and "without their scripts: there is no node" in said, said
        assert list((folder / "out").iterdir()) == [], "an old script stays"
        assert (folder / "work" / "left-out").exists()

        code, said = build(folder, "on", str(tools))
        assert code == 1 and "there is no node" in said, said

        code, said = build(folder, "off", os.environ["PATH"])
        assert code == 0 and "VIGIL_SCRIPTS is off" in said, said

        old = tools / "node"
        old.write_text("#!/bin/bash\necho v16.20.0\n")
        old.chmod(0o755)
        (tools / "npm").symlink_to("/bin/false")
        code, said = build(folder, "auto", str(tools))
        assert code == 0 and "older than 18" in said, said

        old.write_text("#!/bin/bash\necho v18.0.0\n")
        (tools / "cp").symlink_to("/usr/bin/cp")
        (tools / "tail").symlink_to("/usr/bin/tail")
        code, said = build(folder, "auto", str(tools))
        assert code == 0 and "npm could not install" in said, said


main()
