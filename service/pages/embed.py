"""Writes the templates and assets of the pages as C++: embed.py OUTPUT FILE...

An asset is served under a name that holds a digest of it, so that a browser keeps it for ever.
"""

import hashlib
import pathlib
import sys

TYPES = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".html": ""}

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
    return f'    {{"{path.name}", "{served}", "{TYPES[path.suffix]}", {literal(text)}}},\n'


def main():
    files = sorted(pathlib.Path(name) for name in sys.argv[2:])
    pathlib.Path(sys.argv[1]).write_text(
        FRAME.replace("ENTRIES", "".join(map(entry, files))), encoding="utf-8"
    )


main()
