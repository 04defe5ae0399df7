"""What is written to GitHub, and asked of it, against GitHub's own description of its API:
github_contract.py BUILD_FOLDER.

The tests of reports are run with their requests kept. Each request becomes a value of the type
that the npm package @octokit/openapi-types has for its path and method, and so does what our own
trackers answered, as far as it goes; then TypeScript's compiler judges. "skipped:" where the
packages lack, which tests/web/install puts into build/web.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
MODULES = Path(__file__).resolve().parents[4] / "build/web/node_modules"
TYPES = MODULES / "@octokit/openapi-types/types.d.ts"
# Tests that together make every kind of request, without planned answers of another shape.
TESTS = [
    "An issue is filed with labels, for the author of the culprit",
    "Recovery is said in a comment, once, and closes the issue",
    "A comment that came late a second time is removed",
    "A comment and a check run are made once and edited in place",
    "With a token the commit of a night gets a status",
    "An app makes a check run, and changes it",
    "Who may write decides by a comment, and is answered there",
    "A command has a pull request measured, and again",
    "The pull request that brought a culprit is told, and kept told",
    "A notice is there once, whatever fails",
    "A repository that moved is followed, a write later",
]
REPOSITORY = "/repos/{owner}/{repo}"
KNOWN = {
    ("GET", "/user"),
    ("POST", "/app/installations/{installation_id}/access_tokens"),
    ("GET", REPOSITORY + "/issues"),
    ("POST", REPOSITORY + "/issues"),
    ("PATCH", REPOSITORY + "/issues/{issue_number}"),
    ("GET", REPOSITORY + "/issues/{issue_number}/comments"),
    ("POST", REPOSITORY + "/issues/{issue_number}/comments"),
    ("PATCH", REPOSITORY + "/issues/comments/{comment_id}"),
    ("DELETE", REPOSITORY + "/issues/comments/{comment_id}"),
    ("GET", REPOSITORY + "/collaborators/{username}/permission"),
    ("GET", REPOSITORY + "/pulls/{pull_number}"),
    ("GET", REPOSITORY + "/commits/{commit_sha}/pulls"),
    ("GET", REPOSITORY + "/commits/{ref}/check-runs"),
    ("POST", REPOSITORY + "/check-runs"),
    ("PATCH", REPOSITORY + "/check-runs/{check_run_id}"),
    ("POST", REPOSITORY + "/statuses/{sha}"),
}
HEAD = """import type { paths } from "@octokit/openapi-types";
type Json<T> = NonNullable<T> extends { content: { "application/json": infer B } } ? B : never;
type Part<T> = T extends (infer U)[] ? Part<U>[]
    : T extends object ? { [K in keyof T]?: Part<T[K]> } : T;
"""


def keep_requests(file):
    """Runs the tests. @return  what they asked, and were answered"""
    program = BUILD / "tests/integration_service_report"
    names = ",".join(name.replace(",", "\\,") for name in TESTS)
    subprocess.run([program, names], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=os.environ | {"VIGIL_KEEP_REQUESTS": file})
    with open(file, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_templates():
    paths = TYPES.read_text(encoding="utf-8").split("export interface paths {", 1)[1]
    names = re.findall(r'^  "(/[^"]*)": \{', paths.split("\n}\n", 1)[0], re.M)
    return {name: re.compile(re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(name))) for name in names}


def template_of(path, templates):
    """The one with the most fixed letters; None: GitHub has no such path."""
    fits = [name for name, pattern in templates.items() if pattern.fullmatch(path)]
    return max(fits, key=lambda name: len(re.sub(r"\{.*?\}", "", name)), default=None)


def shape(value):
    """Two of the same shape are checked once: of long texts only that they are texts."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value[:1]]
    return value if isinstance(value, str) and len(value) < 20 else type(value).__name__


def value_of(text):
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def declarations(requests, templates):
    """One line of TypeScript for each thing to check, and what it is about."""
    lines, seen, kinds = [], set(), set()

    def declare(kind, value, about):
        mark = json.dumps([kind, shape(value)], sort_keys=True)
        if mark in seen:
            return
        seen.add(mark)
        lines.append((f"export const v{len(lines)}: {kind} = {json.dumps(value)};", about))

    for one in requests:
        path, _, query = one["target"].partition("?")
        path = path.replace("/repositories/7/", "/repos/owner/name/")
        template = template_of(path, templates)
        about = f"{one['method']} {one['target']}"
        if template is None:
            raise SystemExit(f"{about}: GitHub describes no such path")
        kinds.add((one["method"], template))
        operation = f'paths["{template}"]["{one["method"].lower()}"]'
        asked = {key: int(text) if text.isdigit() else text
                 for key, text in urllib.parse.parse_qsl(query)}
        declare(f'{operation}["responses"] | null', None, about)
        if asked:
            declare(f'NonNullable<{operation}["parameters"]["query"]>', asked, about)
        if one["body"]:
            declare(f'Json<{operation}["requestBody"]>', json.loads(one["body"]),
                    f"{about} {one['body'][:200]}")
        answer = value_of(one["answer"])
        if one["status"] in (200, 201) and answer and not one["cut"]:
            declare(f'Part<Json<{operation}["responses"][{one["status"]}]>>', answer,
                    f"our answer to {about}: {one['answer'][:200]}")
    return lines, kinds


def judge(lines, folder):
    """@return  what the compiler finds wrong"""
    file = folder / "asked.ts"
    head = HEAD.count("\n")
    file.write_text(HEAD + "".join(line + "\n" for line, _ in lines), encoding="utf-8")
    (folder / "node_modules").symlink_to(MODULES)
    done = subprocess.run(
        [MODULES / ".bin/tsc", "--noEmit", "--strict", "--exactOptionalPropertyTypes",
         "--skipLibCheck", "--module", "nodenext", "--target", "es2022", file],
        capture_output=True, text=True, check=False, cwd=folder)
    wrong = []
    for line in done.stdout.splitlines():
        found = re.match(r".*asked\.ts\((\d+),\d+\): (.*)", line)
        if found:
            number = int(found[1]) - 1 - head
            wrong.append(f"{lines[number][1] if number >= 0 else 'the head'}\n    {found[2]}")
    if done.returncode and not wrong:
        wrong.append(done.stdout + done.stderr)
    return wrong


def main():
    if not TYPES.exists() or not (MODULES / ".bin/tsc").exists():
        print("skipped: GitHub's description is not installed; tests/web/install does that")
        return 0
    with tempfile.TemporaryDirectory(prefix="vigil-contract-") as place:
        folder = Path(place)
        requests = keep_requests(str(folder / "requests"))
        lines, kinds = declarations(requests, read_templates())
        wrong = judge(lines, folder)
        # The judge is judged: what is not as GitHub describes it has to be found.
        issues = f'Json<paths["{REPOSITORY}/issues"]["post"]["requestBody"]>'
        (folder / "node_modules").unlink()
        planted = judge([(f'export const a: {issues} = {{"body": "x"}};', "no title"),
                         (f'export const b: {issues} = {{"title": "x", "lables": []}};', "a slip")],
                        folder)
    wrong += [f"planted and not found: {2 - len(planted)}"] if len(planted) != 2 else []
    wrong += [f"not made by any of the tests: {one}" for one in sorted(KNOWN - kinds)]
    wrong += [f"not listed here: {one}" for one in sorted(kinds - KNOWN)]
    print(f"{len(requests)} requests, {len(lines)} things checked", *wrong, sep="\n")
    return 1 if wrong else 0


sys.exit(main())
