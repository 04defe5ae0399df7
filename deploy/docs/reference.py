"""Reference pages, as the programs and the description of the HTTP interface tell them."""

import json
import re
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60


def told(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def cell(text):
    """`<project>` would be taken for a tag."""
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [one.replace("<", "&lt;") for one in pieces[::2]]
    return "".join(pieces).replace("|", "\\|")


def config_page(programs):
    lines = told(programs / "vigild", "--config-reference").splitlines()
    out = ["# Keys of the daemon's config", "",
           "`vigild --config-reference` prints the same for the installed version. "
           "[operations.md](../operations.md) says how the config is used."]
    group = None
    for at in range(0, len(lines), 3):
        key, values, meaning = (line.strip() for line in lines[at:at + 3])
        top = key.split(".")[0]
        if top != group:
            group = top
            out += ["", f"## {top}", "", "| Key | Values | Meaning |", "| --- | --- | --- |"]
        out.append(f"| `{key}` | {cell(values)} | {cell(meaning)} |")
    return "\n".join(out) + "\n"


def rest_page():
    document = yaml.safe_load((ROOT / "schema" / "http" / "openapi.yaml").read_text())
    out = ["# REST routes", "",
           "[api.md](../api.md) has the rules for all routes, and examples. The daemon serves the "
           "full description as [a page](/api/v1/docs), and for programs as "
           "[JSON](/api/v1/openapi.json) and [YAML](/api/v1/openapi.yaml).", "",
           "| Route | What it does | Scope |", "| --- | --- | --- |"]
    for path, verbs in document["paths"].items():
        for verb, one in verbs.items():
            if not isinstance(one, dict) or "operationId" not in one:
                continue
            scopes = [scope for way in one.get("security", []) for scope in way.get("token", [])]
            out.append(f"| [`{verb.upper()} {path}`](/api/v1/docs#operation-{one['operationId']}) "
                       f"| {cell(' '.join(one['summary'].split()))} | {', '.join(scopes)} |")
    return "\n".join(out) + "\n"


def metrics_text(programs):
    """/metrics of a daemon that has just been started on an empty ledger."""
    with tempfile.TemporaryDirectory(prefix="vigil-metrics-") as place:
        folder = Path(place)
        (folder / "vigild.json").write_text(json.dumps(
            {"state_dir": str(folder / "state"), "http": {"address": "127.0.0.1", "port": 0}}))
        log = folder / "log"
        with log.open("w") as out:
            daemon = subprocess.Popen([programs / "vigild", "--config", folder / "vigild.json"],
                                      stdout=out, stderr=out)
        try:
            end = time.monotonic() + PATIENCE_S
            port = None
            while port is None:
                if daemon.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"vigild does not start: {log.read_text()}")
                port = re.search(r"127\.0\.0\.1:(\d+)", log.read_text())
                time.sleep(0.05)
            token = (folder / "state" / "admin.token").read_text().strip()
            request = urllib.request.Request(f"http://127.0.0.1:{port.group(1)}/metrics",
                                             headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.read().decode()
        finally:
            daemon.terminate()
            daemon.wait()


def metrics_page(programs):
    text = metrics_text(programs)
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    out = ["# Metrics", "", "`/metrics` has these, in the text format of Prometheus. "
           "[The runbook](../runbook.md) has alert rules that use them.", "",
           "| Metric | Type | Meaning |", "| --- | --- | --- |"]
    for name, meaning in re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE):
        out.append(f"| `{name}` | {kinds[name]} | {cell(meaning)} |")
    return "\n".join(out) + "\n"


def pages(programs):
    """@return pairs of the page's path and its Markdown"""
    return [("reference/config.md", config_page(programs)),
            ("reference/commands.md", told(programs / "vigil-manual", "markdown")),
            ("reference/rest.md", rest_page()),
            ("reference/metrics.md", metrics_page(programs))]
