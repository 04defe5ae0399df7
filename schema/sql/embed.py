"""Writes a C++ file that holds the ledger's schema as one string, and every upgrade as one more.
Standard library only.

usage: embed.py OUT FILE...    files of ledger/ in the order given, those of upgrades/ by number"""

import sys
from pathlib import Path

FIRST_UPGRADE = 101


def main():
    out, files = Path(sys.argv[1]), list(map(Path, sys.argv[2:]))
    upgrades = sorted(file for file in files if file.parent.name == "upgrades")
    ledger = [file for file in files if file.parent.name == "ledger"]
    numbers = [int(file.name.split("_")[0]) for file in upgrades]
    if numbers != list(range(FIRST_UPGRADE, FIRST_UPGRADE + len(numbers))):
        sys.exit(f"embed.py: upgrades are numbered from {FIRST_UPGRADE} on, each once: {numbers}")
    text = ['#include "schema/sql/schema.hpp"\n\nnamespace vigil::sql {\n',
            "std::span<const Upgrade> upgrades() {",
            "    static const std::vector<Upgrade> all{"]
    text += [f'        {{{number}, "{file.name}", R"sql({file.read_text()})sql"}},'
             for number, file in zip(numbers, upgrades)]
    text += ["    };\n    return all;\n}\n",
             "const char* ledger() {\n    return"]
    text += [f'        R"sql({file.read_text()})sql"' for file in ledger]
    text += ["        ;\n}\n", "}  // namespace vigil::sql\n"]
    out.write_text("\n".join(text))


main()
