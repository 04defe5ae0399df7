"""Writes a C++ file that holds every migration as a string, in order, and what makes a new ledger
at once: the schema that they lead to, and the rows that they begin with. Standard library only.

usage: embed.py OUT FILE..."""

import re
import sqlite3
import sys
from pathlib import Path


def newest_of(scripts):
    """What makes the ledger that all of `scripts` make, in one step: walking through every schema
    that there was takes twenty times as long."""
    ledger = sqlite3.connect(":memory:")
    for script in scripts:
        ledger.executescript(script)
    made = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    parts = sorted(ledger.execute(made), key=lambda one: one[0] != "table")
    statements = [sql + ";" for _, _, sql in parts if not sql.startswith("CREATE TABLE sqlite_")]
    for kind, name, _ in parts:
        if kind != "table" or not ledger.execute(f"SELECT count(*) FROM {name}").fetchone()[0]:
            continue
        # As it was written: its values may be the time, or what nobody can guess.
        first = re.findall(rf"^INSERT INTO {name}\b[^;]*\bVALUES\b[^;]*;", "".join(scripts), re.M)
        if len(first) != 1:
            sys.exit(f"embed.py: the rows that {name} begins with have to be one "
                     "INSERT INTO ... VALUES at the start of a line")
        statements += first
    return "\n".join(statements) + "\n"


def main():
    out, files = Path(sys.argv[1]), sorted(map(Path, sys.argv[2:]))
    scripts = [file.read_text() for file in files]
    text = ['#include "schema/sql/migrations.hpp"\n\nnamespace vigil::sql {\n',
            "std::span<const Migration> migrations() {\n    static const Migration all[] = {"]
    text += [f'        {{{int(file.name.split("_")[0])}, "{file.name}", R"sql({script})sql"}},'
             for file, script in zip(files, scripts)]
    text += ["    };\n    return all;\n}\n",
             f'const char* newest() {{\n    return R"sql({newest_of(scripts)})sql";\n}}\n',
             "}  // namespace vigil::sql\n"]
    out.write_text("\n".join(text))


main()
