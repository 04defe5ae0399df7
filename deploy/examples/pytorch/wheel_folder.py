#!/usr/bin/env python3
"""Makes nightlies of the wheels in a folder, for a source of the kind `directory`: beside each
wheel that has none it writes the manifest that vigild reads. Commit and version are read from
torch/version.py in the wheel, the day from its version (2.10.0.dev20251112) or from --day.

usage: wheel_folder.py FOLDER [--day YYYY-MM-DD]

Write wheels under another name and rename them when they are complete. Exit code: 0 done, 1 a wheel
was left out, and why is said."""

import argparse
import hashlib
import json
import os
import re
import sys
import zipfile
from pathlib import Path

MOST_BYTES = 1 << 20  # of torch/version.py


class NoNightly(Exception):
    pass


def said_by(wheel):
    """@return version and commit of torch/version.py"""
    try:
        with zipfile.ZipFile(wheel) as archive:
            with archive.open("torch/version.py") as file:
                text = file.read(MOST_BYTES).decode(errors="replace")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise NoNightly(f"torch/version.py cannot be read: {error}") from error
    version = re.search(r"^__version__\s*(?::[^=]*)?=\s*'([^']+)'", text, re.MULTILINE)
    commit = re.search(r"^git_version\s*(?::[^=]*)?=\s*'([0-9a-f]{40})'", text, re.MULTILINE)
    if not version or not commit:
        raise NoNightly("torch/version.py has no __version__ or no git_version")
    return version[1], commit[1]


def day_of(version, day):
    found = re.search(r"\.dev(\d{4})(\d{2})(\d{2})", version)
    if day:
        return day
    if not found:
        raise NoNightly(f"version {version} has no day; say it by --day")
    return "-".join(found.groups())


def digest_of(file):
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        while part := content.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def add(wheel, day):
    """@return the manifest, or None where there is one"""
    version, commit = said_by(wheel)
    name = re.sub(r"[^A-Za-z0-9._+=-]", "-", version)
    manifest = wheel.with_name(f"{name}.json")
    if manifest.exists():
        return None
    text = json.dumps({"version": name, "day": day_of(version, day), "revision": commit,
                       "archive": wheel.name, "sha256": digest_of(wheel)}, indent=1)
    partial = manifest.with_suffix(".partial")
    partial.write_text(text + "\n")
    os.replace(partial, manifest)
    return manifest


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--day", help="of wheels whose version has none")
    options = parser.parse_args()
    left_out = 0
    for wheel in sorted(options.folder.glob("*.whl")):
        try:
            made = add(wheel, options.day)
        except NoNightly as why:
            left_out += 1
            print(f"{wheel.name}: left out: {why}", file=sys.stderr)
        else:
            print(f"{wheel.name}: {'is there already' if made is None else made.name}")
    return 1 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
