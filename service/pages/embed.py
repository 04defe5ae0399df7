"""Writes the templates and assets of the pages as C++: embed.py OUTPUT SCRIPTS FILE...

An asset is served under a name that holds a digest of it, so that a browser keeps it for ever. The
files of the folder SCRIPTS (service/web/build makes it) have such names already.
"""

import hashlib
import pathlib
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

FRAME = """#include "service/pages/common/files.hpp"

namespace vigil::service {

namespace {

constexpr PageFile files[] = {
ENTRIES};

}  // namespace

std::span<const PageFile> page_files() {
    return files;
}

}  // namespace vigil::service
"""


def literal(text):
    mark = "pages"
    assert f"){mark}\"" not in text
    # A compiler need not take more than 64 KiB of one literal, but it joins neighbours.
    pieces = [text[at : at + 16000] for at in range(0, len(text), 16000)] or [""]
    return "\n".join(f'R"{mark}({piece}){mark}"' for piece in pieces)


def entry(path):
    text = path.read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    served = f"{path.stem}-{digest}{path.suffix}" if TYPES[path.suffix] else ""
    return line(path.name, served, text)


def built_entry(path):
    name = path.stem.rpartition("-")[0] + path.suffix
    return line(name, path.name, path.read_text(encoding="utf-8"))


def line(name, served, text):
    kind = TYPES[pathlib.Path(name).suffix]
    return f'    {{"{name}", "{served}", "{kind}", {literal(text)}}},\n'


def main():
    output, scripts, *files = map(pathlib.Path, sys.argv[1:])
    entries = list(map(entry, sorted(files))) + list(map(built_entry, sorted(scripts.iterdir())))
    output.write_text(FRAME.replace("ENTRIES", "".join(entries)), encoding="utf-8")


main()
