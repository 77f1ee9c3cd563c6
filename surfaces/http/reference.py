"""The API's reference as Markdown, made from the OpenAPI document: `python -m surfaces.http.reference`."""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from surfaces.http.application import described

_HEAD = """# HTTP API

Made from the OpenAPI document, which the server has at `/openapi.json`; `make docs` makes this page anew.
Every call but `/healthz` and `/readyz` takes `Authorization: Bearer …` ([authentication](authentication.md)).

```console
URL=http://127.0.0.1:7420    # or what `keepwell up` prints
KEY=$(keepwell keys create curl --as agent:curl --role agent --replace)
curl "$URL/v1/events" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d '{
  "activity_id": "act-1", "type": "activity_completed", "scope": {"workspace": "staging"},
  "occurred_at": "2026-03-02T09:00:00+01:00", "text": "Stopped gpu-bench-01, which was idle.",
  "entities": [{"id": "cloud-instance:i-09a8f", "name": "gpu-bench-01"}]
}'
curl "$URL/v1/recall" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d '{
  "scope": {"workspace": "staging"}, "query": "idle machines", "entities": ["gpu-bench-01"]
}'
```

The first is answered once the event is durable; its words are recalled when its activity has been consolidated, some
seconds after it has ended.
"""
_PROBLEM = "application/problem+json"
_OF_ANY_CALL = {
    "400": "The request cannot be read as HTTP. It may answer any call.",
    "405": "The path has other methods. It may answer any call.",
    "431": "The headers are larger than the limit. It may answer any call.",
}
"""What is answered before a route is found, so that no route names it."""

_BOUNDS = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)


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
    return _OF_ANY_CALL | {
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
        yield "| field | type | required | default | bounds |\n| --- | --- | --- | --- | --- |"
        for field, kind in properties.items():
            required = "yes" if field in schema.get("required", ()) else ""
            default = _code(json.dumps(kind["default"])) if "default" in kind else ""
            yield f"| `{field}` | {_kind(kind)} | {required} | {default} | {', '.join(_bounds(kind))} |"
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


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """How large a value may be, and of which form it is; of the several that it may be, each that has bounds."""
    for several in ("anyOf", "oneOf"):
        for each in schema.get(several, ()):
            yield from _bounds(each)
    for least, most, unit in _BOUNDS:
        if least in schema and most in schema:
            yield f"{schema[least]} to {schema[most]}{unit}"
        elif least in schema:
            yield f"at least {schema[least]}{unit}"
        elif most in schema:
            yield f"at most {schema[most]}{unit}"
    if "pattern" in schema:
        yield _code(schema["pattern"])
    if "items" in schema:
        yield from (f"each {bound}" for bound in _bounds(schema["items"]))


def _code(text: str) -> str:
    """`text` as it is, within a table."""
    return f"`{text}`".replace("|", "\\|")


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
