"""A client that openapi-typescript makes of openapi.yaml asks a real daemon: client_test.py
BUILD_FOLDER. "skipped:" where tests/web/install could not install it."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.dont_write_bytecode = True
import past  # noqa: E402

BUILD = Path(sys.argv[1]).resolve()
TOOLS = ROOT / "build/web/node_modules/.bin"


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stdout}")
    return done.stdout


def main():
    if not (ROOT / "build/web/installed").exists():
        print("skipped: openapi-typescript is not installed; tests/web/install does that")
        return
    with tempfile.TemporaryDirectory(prefix="vigil-client-") as place:
        folder = Path(place)
        for name in ("client.mts", "tsconfig.json"):
            shutil.copy(ROOT / "tests/web" / name, folder)
        run(TOOLS / "openapi-typescript", ROOT / "schema/http/openapi.yaml", "-o",
            folder / "api.d.ts", cwd=folder)
        run(TOOLS / "tsc", "--project", folder, cwd=folder)
        stage, hashes = past.start(folder / "daemon", BUILD)
        try:
            token = (stage.state_dir / "admin.token").read_text().strip()
            print(run("node", "client.mjs", stage.url, token, hashes[2], cwd=folder))
        finally:
            stage.stop()


main()
