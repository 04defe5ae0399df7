"""Has openapi.yaml read by two linters, where this machine has them: lint_openapi.py SOURCE_FOLDER.

They are npm packages: `npm install @redocly/cli@1.34.3 @stoplight/spectral-cli@6.16`, with their
folder node_modules/.bin in PATH or in VIGIL_LINTERS. Prints "skipped" where they are missing.
"""

import os
import pathlib
import shutil
import subprocess
import sys

http = pathlib.Path(sys.argv[1]) / "schema/http"
path = os.environ.get("VIGIL_LINTERS", "") + os.pathsep + os.environ["PATH"]
document = str(http / "openapi.yaml")
commands = [
    ["redocly", "lint", "--config", str(http / "redocly.yaml"), document],
    ["spectral", "lint", "--fail-severity=warn", "-r", str(http / "spectral.yaml"), document],
]
failed = False
for command in commands:
    program = shutil.which(command[0], path=path)
    if program is None:
        print(f"{command[0]}: skipped, it is not installed")
        continue
    ended = subprocess.run(
        [program, *command[1:]], capture_output=True, text=True, timeout=300, check=False,
        env=os.environ | {"REDOCLY_TELEMETRY": "off", "CI": "1"})
    words = ended.stdout + ended.stderr
    clean = ended.returncode == 0 and "warning" not in words
    failed = failed or not clean
    print(f"{command[0]}: {'clean' if clean else words}")
sys.exit(1 if failed else 0)
