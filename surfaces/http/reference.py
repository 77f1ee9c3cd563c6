"""The API's reference as Markdown, made from the OpenAPI document: `python -m surfaces.http.reference`."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from surfaces.http.application import described

_HEAD = """# HTTP API

Made from the OpenAPI document, which the server has at `/openapi.json`; `make docs` makes this page anew.
Every call but `/healthz` and `/readyz` takes `Authorization: Bearer …` ([authentication](authentication.md)).
"""
_PROBLEM = "application/problem+json"


def reference(document: Mapping[str, Any]) -> str:
    """The page: every route with what it takes and answers, then every shape."""
    lines = [_HEAD]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            lines.extend(_route(f"{method.upper()} {path}", operation))
    lines.append("## Problems\n")
    lines.append(
        "Errors are `application/problem+json` (RFC 9457), a [Problem](#problem). What each status means:\n"
    )
    lines.append("| status | means |\n| --- | --- |")
    lines.extend(f"| {status} | {meaning} |" for status, meaning in sorted(_problems(document).items()))
    lines.append("\n## Shapes\n")
    for name, schema in document["components"]["schemas"].items():
        lines.extend(_shape(name, schema))
    return "\n".join(lines).rstrip() + "\n"


def _problems(document: Mapping[str, Any]) -> dict[str, str]:
    return {
        status: answer["description"]
        for methods in document["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if _PROBLEM in answer.get("content", {})
    }


def _route(title: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {title}\n"
    yield f"**{operation['summary']}.** {operation.get('description', '')}\n"
    taken = [
        f"{parameter['in']} `{parameter['name']}`{'' if parameter.get('required') else ', optional'}"
        for parameter in operation.get("parameters", [])
    ]
    body = operation.get("requestBody")
    if body is not None:
        taken.insert(0, f"body {_kind(body['content']['application/json']['schema'])}")
    if taken:
        yield f"Takes: {'; '.join(taken)}.\n"
    answered: list[str] = []
    problems: list[str] = []
    for status, answer in operation["responses"].items():
        content: Mapping[str, Any] = answer.get("content", {})
        if _PROBLEM in content:
            problems.append(status)
        else:
            shapes = [_kind(each.get("schema", {})) for each in content.values()]
            answered.append(f"{status} {', '.join(shapes)}".strip())
    yield (
        f"Answers: {'; '.join(answered)}." + (f" Problems: {', '.join(problems)}." if problems else "") + "\n"
    )


def _shape(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    if "description" in schema:
        yield f"{schema['description']}\n"
    if "enum" in schema:
        yield f"One of {', '.join(f'`{value}`' for value in schema['enum'])}.\n"
    properties: Mapping[str, Any] = schema.get("properties", {})
    if properties:
        yield "| field | type | required |\n| --- | --- | --- |"
        for field, kind in properties.items():
            required = "yes" if field in schema.get("required", ()) else ""
            yield f"| `{field}` | {_kind(kind)} | {required} |"
        yield ""


def _kind(schema: Mapping[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_kind(each) for each in schema[several]))
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    return _plain_kind(schema)


def _plain_kind(schema: Mapping[str, Any]) -> str:
    match schema.get("type"):
        case "array":
            return f"list of {_kind(schema.get('items', {}))}"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"object of {_kind(schema['additionalProperties'])}"
        case "string" if "format" in schema:
            return str(schema["format"])
        case kind:
            return str(kind or "anything")


if __name__ == "__main__":
    sys.stdout.write(reference(described().openapi()))
