"""Writes what the daemon serves of openapi.yaml: embed.py OPENAPI FOLDER.

FOLDER gets openapi.json, openapi.html (one page, without scripts) and openapi.cpp, which holds all
three documents as strings.
"""

import html
import json
import pathlib
import re
import sys

import yaml

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;
background:#fff}
h1,h2,h3{line-height:1.2}h2{border-top:1px solid #ccc;padding-top:1rem}
code,.path{font-family:ui-monospace,monospace;font-size:.9em}
summary{cursor:pointer}details{border:1px solid #ddd;border-radius:4px;margin:.5rem 0;
padding:.4rem .8rem}
.verb{display:inline-block;min-width:4.2rem;font-weight:bold}
table{border-collapse:collapse;margin:.5rem 0}td,th{border:1px solid #ddd;padding:.2rem .5rem;
text-align:left;vertical-align:top}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}
details,td,th,h2{border-color:#444}a{color:#8bf}}
"""


def words(text):
    """Prose as HTML; `code` stays code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(" ".join(str(text).split())))


def name_of(reference):
    return reference.rsplit("/", 1)[1]


def anchor(kind, name):
    return html.escape(f"{kind}-{name}", quote=True)


def kind_of(schema):
    """A schema in a few words, with links to those that have a name."""
    if not schema:
        return "anything"
    if "$ref" in schema:
        name = name_of(schema["$ref"])
        return f'<a href="#{anchor("schema", name)}">{html.escape(name)}</a>'
    if "oneOf" in schema:
        return " or ".join(kind_of(one) for one in schema["oneOf"])
    types = schema.get("type", "object" if "properties" in schema else "anything")
    types = [types] if isinstance(types, str) else types
    parts = []
    for one in types:
        part = html.escape(one)
        if one == "array" and schema.get("items"):
            part = f"array of {kind_of(schema['items'])}"
        parts.append(part)
    text = " or ".join(parts)
    if "enum" in schema:
        text += ": " + ", ".join(f"<code>{html.escape(str(one))}</code>" for one in schema["enum"])
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None or high is not None:
        text += f" ({'' if low is None else low}..{'' if high is None else high})"
    return text


def table(headings, rows):
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(one)}</th>" for one in headings)
    body = "".join("<tr>" + "".join(f"<td>{one}</td>" for one in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def properties(schema):
    needed = schema.get("required", [])
    rows = []
    for name, one in schema.get("properties", {}).items():
        about = words(one.get("description", ""))
        if "properties" in one:
            about += properties(one)
        elif "properties" in one.get("items", {}):
            about += properties(one["items"])
        mark = "" if name in needed else "optional"
        rows.append((f"<code>{html.escape(name)}</code>", kind_of(one), mark, about))
    return table(("name", "type", "", ""), rows)


def resolve(document, thing):
    while "$ref" in thing:
        value = document
        for step in thing["$ref"].removeprefix("#/").split("/"):
            value = value[step]
        thing = value
    return thing


def contents(thing):
    rows = []
    for media, one in thing.get("content", {}).items():
        schema = one.get("schema", {})
        shown = kind_of(schema) + ("" if "$ref" in schema else properties(schema))
        rows.append((f"<code>{html.escape(media)}</code>", shown))
    return table(("body", "schema"), rows)


def operation(document, path, verb, one):
    parts = [
        f'<details id="{anchor("operation", one["operationId"])}"><summary>'
        f'<span class="verb">{verb.upper()}</span><span class="path">{html.escape(path)}</span> '
        f"{words(one['summary'])}</summary>"
    ]
    if "description" in one:
        parts.append(f"<p>{words(one['description'])}</p>")
    rows = []
    for parameter in (resolve(document, each) for each in one.get("parameters", [])):
        mark = "" if parameter.get("required") else "optional"
        rows.append((
            f"<code>{html.escape(parameter['name'])}</code>",
            parameter["in"],
            kind_of(parameter["schema"]),
            mark,
            words(parameter.get("description", "")),
        ))
    parts.append(table(("parameter", "in", "type", "", ""), rows))
    if "requestBody" in one:
        parts.append("<p>Request</p>" + contents(one["requestBody"]))
    for status, reply in one["responses"].items():
        reply = resolve(document, reply)
        parts.append(f"<p><code>{status}</code> {words(reply['description'])}</p>")
        parts.append(contents(reply))
    parts.append("</details>")
    return "".join(parts)


def page(document):
    info = document["info"]
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{html.escape(info['title'])}: HTTP interface</title><style>{STYLE}</style></head>"
        f"<body><h1>{html.escape(info['title'])}: HTTP interface</h1>"
        f"<p>{words(info['description'])}</p>"
        '<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a>, '
        '<a href="/api/v1/openapi.yaml">openapi.yaml</a>.</p>'
    ]
    for tag in document["tags"]:
        parts.append(f"<h2>{html.escape(tag['name'])}</h2><p>{words(tag['description'])}</p>")
        for path, item in document["paths"].items():
            for verb, one in item.items():
                if tag["name"] in one["tags"]:
                    parts.append(operation(document, path, verb, one))
    parts.append('<h2>Problems</h2><p>What is refused is an RFC 9457 problem of one of these.</p>')
    for name, about in document["x-problems"].items():
        parts.append(
            f'<h3 id="{anchor("problem", name)}">{html.escape(name)}</h3><p>{words(about)}</p>')
    parts.append("<h2>Schemas</h2>")
    for name, schema in document["components"]["schemas"].items():
        parts.append(
            f'<details id="{anchor("schema", name)}"><summary>{html.escape(name)}</summary>'
            f"<p>{words(schema.get('description', ''))}</p>")
        parts.append(properties(schema) or f"<p>{kind_of(schema)}</p>")
        parts.append("</details>")
    return "".join(parts) + "</body></html>\n"


def literal(name, text):
    mark = "openapi"
    assert f"){mark}\"" not in text
    # A compiler need not take more than 64 KiB of one literal, but it joins those that are next to
    # each other.
    pieces = [text[at : at + 16000] for at in range(0, len(text), 16000)]
    joined = "\n".join(f'R"{mark}({piece}){mark}"' for piece in pieces)
    # Its length is not counted by the compiler, whose patience with a constant ends at 256 KiB.
    head = f"std::string_view {name}() {{\n    static constexpr char text[] =\n"
    return f"{head}{joined};\n    return {{text, sizeof text - 1}};\n}}\n\n"


def main():
    source = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = pathlib.Path(sys.argv[2])
    document = yaml.safe_load(source)
    as_json = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    as_html = page(document)
    (folder / "openapi.json").write_text(as_json, encoding="utf-8")
    (folder / "openapi.html").write_text(as_html, encoding="utf-8")
    text = '#include "schema/http/openapi.hpp"\n\nnamespace vigil::http {\n\n'
    for name, one in (
        ("openapi_yaml", source), ("openapi_json", as_json), ("openapi_html", as_html)
    ):
        text += literal(name, one)
    (folder / "openapi.cpp").write_text(text + "}  // namespace vigil::http\n", encoding="utf-8")


main()
