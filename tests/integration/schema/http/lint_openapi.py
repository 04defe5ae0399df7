"""Has openapi.yaml read by two linters: lint_openapi.py SOURCE_FOLDER.

They are npm packages, which tests/web/install puts into build/web. "skipped:" where they lack.
"""

import os
import pathlib
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
http = source / "schema/http"
programs = source / "build/web/node_modules/.bin"
document = str(http / "openapi.yaml")
if not (source / "build/web/installed").exists():
    print("skipped: the linters are not installed; tests/web/install does that")
    sys.exit()
commands = [
    ["redocly", "lint", "--config", str(http / "redocly.yaml"), document],
    ["spectral", "lint", "--fail-severity=warn", "-r", str(http / "spectral.yaml"), document],
]
failed = False
for command in commands:
    ended = subprocess.run(
        [programs / command[0], *command[1:]], capture_output=True, text=True, check=False,
        env=os.environ | {"REDOCLY_TELEMETRY": "off", "CI": "1"})
    words = ended.stdout + ended.stderr
    clean = ended.returncode == 0 and "warning" not in words
    failed = failed or not clean
    print(f"{command[0]}: {'clean' if clean else words}")
sys.exit(1 if failed else 0)
