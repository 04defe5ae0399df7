"""Pages that show commands (lines behind "$ ") with their answers. Standard library only."""

import json

INDENT = "    "
PROMPT = INDENT + "$ "
WIDTH = 100


def parts_of(lines):
    """The page cut into what it is: pairs of "text", "command" or "answer" with their lines."""
    parts = [("text", [])]
    for line in lines:
        kind, before = parts[-1]
        if line.startswith(PROMPT):
            parts.append(("command", [line]))
        elif kind == "command" and before[-1].endswith("\\"):
            before.append(line)
        elif kind == "command" and line.startswith(INDENT):
            parts.append(("answer", [line]))
        elif kind == "text" or (kind == "answer" and line.startswith(INDENT)):
            before.append(line)
        else:
            parts.append(("text", [line]))
    return parts


def commands_of(lines):
    """What the page says to run, in its order."""
    return ["\n".join(part).removeprefix(PROMPT)
            for kind, part in parts_of(lines) if kind == "command"]


def with_answers(lines, answers):
    """The page with these answers, each a text, behind its commands."""
    page, left = [], iter(answers)
    for kind, part in parts_of(lines):
        if kind != "answer":
            page += part
        if kind == "command":
            page += [INDENT + line.rstrip() for line in next(left).splitlines() if line.strip()]
    return page


def broken(value, room=WIDTH - len(INDENT), indent=""):
    """JSON with as many members on a line as fit."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= room - len(indent) or not isinstance(value, (dict, list)) or not value:
        return line
    is_object, inner = isinstance(value, dict), indent + "  "
    lines = [""]
    members = list(value.items() if is_object else enumerate(value))
    for key, member in members:
        text = (json.dumps(key) + ": " if is_object else "") + broken(member, room - 1, inner)
        text += "" if key == members[-1][0] else ","
        fits = "\n" not in text + lines[-1] and len(inner + lines[-1] + text) < room
        if lines[-1] and fits:
            lines[-1] += " " + text
        else:
            lines.append(text)
    body = "".join(f"\n{inner}{line}" for line in lines if line)
    return "{["[not is_object] + body + f"\n{indent}" + "}]"[not is_object]
