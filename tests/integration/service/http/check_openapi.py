"""Checks replies of the service, and its table of routes, against schema/http/openapi.yaml, both
ways: what is answered is described, and what is described, each status too, was answered.

check_openapi.py OPENAPI EXCHANGES: EXCHANGES is JSON,
{"routes": [[method, pattern, scopes, deprecated], ...], "protocol": number,
"exchanges": [{"method", "pattern", "status", "content_type", "body", "query"}, ...]}.
Prints what does not fit, one line each; exit status 1 then.
"""

import json
import re
import sys

import yaml

failures = []


def resolve(document, schema):
    while "$ref" in schema:
        value = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            value = value[step]
        schema = value
    return schema


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    kinds = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None)}
    return isinstance(value, kinds[name])


def check_object(document, schema, value, path, report):
    properties = schema.get("properties", {})
    for key in schema.get("required", []):
        if key not in value:
            report.append(f"{path}: {key} is missing")
    extra = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in properties:
            check(document, properties[key], item, f"{path}.{key}", report)
        elif extra is False:
            report.append(f"{path}: {key} is not described")
        elif isinstance(extra, dict):
            check(document, extra, item, f"{path}.{key}", report)


def check(document, schema, value, path, report):
    schema = resolve(document, schema)
    if "oneOf" in schema:
        tries = []
        for one in schema["oneOf"]:
            tries.append([])
            check(document, one, value, path, tries[-1])
        if sum(not found for found in tries) != 1:
            report.extend(min(tries, key=len) or [f"{path}: fits several of oneOf"])
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        report.append(f"{path}: {type(value).__name__} is not {types}")
        return
    if "enum" in schema and value not in schema["enum"]:
        report.append(f"{path}: {value!r} is not one of {schema['enum']}")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        report.append(f"{path}: {value!r} does not fit {schema['pattern']}")
    if is_type(value, "number") and value < schema.get("minimum", value):
        report.append(f"{path}: {value} is below {schema['minimum']}")
    if is_type(value, "number") and value > schema.get("maximum", value):
        report.append(f"{path}: {value} is above {schema['maximum']}")
    if isinstance(value, dict):
        check_object(document, schema, value, path, report)
    if isinstance(value, list):
        for index, item in enumerate(value):
            check(document, schema.get("items", {}), item, f"{path}[{index}]", report)


def check_exchange(document, exchange):
    name = f"{exchange['method']} {exchange['pattern']} {exchange['status']}"
    operation = document["paths"][exchange["pattern"]][exchange["method"].lower()]
    parameters = [resolve(document, one) for one in operation.get("parameters", [])]
    schemas = {one["name"]: one["schema"] for one in parameters if one["in"] == "query"}
    for parameter, text in exchange["query"].items():
        if parameter not in schemas:
            failures.append(f"{name}: the parameter {parameter} is not described")
            continue
        schema = resolve(document, schemas[parameter])
        value = int(text) if schema.get("type") == "integer" else text
        check(document, schema, value, f"{name}?{parameter}", failures)
    answers = operation["responses"]
    answer = answers.get(str(exchange["status"]))
    if answer is None and exchange["status"] >= 500:  # what any path may answer
        answer = answers["default"]
    if answer is None:
        failures.append(f"{name}: the status is not described")
        return
    content = resolve(document, answer).get("content", {})
    media = exchange["content_type"].split(";")[0]
    if not content and not media:
        return
    if media not in content:
        failures.append(f"{name}: {media!r} is not described")
        return
    if media.endswith("json"):
        check(document, content[media]["schema"], exchange["body"], name, failures)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = yaml.safe_load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        facts = json.load(file)
    routes = {(method, pattern) for method, pattern, *_ in facts["routes"]}
    described = {
        (method.upper(), path) for path, item in document["paths"].items() for method in item
    }
    failures.extend(f"{route} is served but not described" for route in sorted(routes - described))
    failures.extend(f"{route} is described but not served" for route in sorted(described - routes))
    for method, pattern, scopes, deprecated in facts["routes"]:
        operation = document["paths"].get(pattern, {}).get(method.lower(), {})
        if operation.get("deprecated", False) != deprecated:
            failures.append(f"{method} {pattern}: one of table and document says deprecated")
        named = {scope for one in operation.get("security", []) for scope in one.get("token", [])}
        if named != set(scopes):
            failures.append(f"{method} {pattern} asks for scope {scopes}, {named} is described")
    for exchange in facts["exchanges"]:
        check_exchange(document, exchange)
    driven = {(one["method"], one["pattern"], str(one["status"])) for one in facts["exchanges"]}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            # `default` is a fault of ours (500), a ledger that is busy (503) or a full disk (507).
            for status in set(operation["responses"]) - {"default"}:
                if (method.upper(), path, status) not in driven:
                    failures.append(f"{method.upper()} {path} {status}: was not driven")
    spoken = document["components"]["schemas"]["ClaimRequest"]["properties"]["protocol"]["enum"]
    if max(spoken) != facts["protocol"]:
        failures.append(f"workers speak protocol {facts['protocol']}, {spoken} is described")
    operations = [one for item in document["paths"].values() for one in item.values()]
    if len({one["operationId"] for one in operations}) != len(operations):
        failures.append("two operations have one operationId")
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
