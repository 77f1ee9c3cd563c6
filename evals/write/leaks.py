"""Look for planted strings wherever a program of ours writes: every table, every history, every log line.

A secret is looked for as it was sent, without its blanks, by its longest run of letters and digits, and as the
hexadecimal digits of its bytes, in any case: the keyword index folds words and takes them apart.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast
from uuid import UUID

from google.protobuf import json_format

from evals.write.cases import Case
from evals.write.stage import Stage

_RUN = re.compile(r"[^\W_]+")
_SHORTEST_RUN = 8
"""A shorter run of letters and digits may be in a text by chance."""

_TABLES = """
    SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
"""
_KEPT = "SELECT concat_ws(' ', text, evidence_ref, entities, data) AS words FROM events WHERE tenant_id = $1"


class Found(NamedTuple):
    """What became of the planted strings of a case; see `Played`."""

    leaks: Mapping[int, frozenset[str]]
    kept: frozenset[int]


async def search(stage: Stage, cases: Mapping[UUID, Case]) -> dict[UUID, Found]:
    """Where the planted strings of each case are, by its tenant."""
    forms = {
        form: (tenant, number)
        for tenant, case in cases.items()
        for number, planted in enumerate(case.planted)
        if planted.secret
        for form in forms_of(planted.string)
    }
    places: dict[tuple[UUID, int], set[str]] = {}
    for place, form in [*await _in_tables(stage, list(forms)), *await _elsewhere(stage, forms)]:
        places.setdefault(forms[form], set()).add(place)
    return {
        tenant: Found(
            leaks={number: frozenset(where) for (whose, number), where in places.items() if whose == tenant},
            kept=await _kept(stage, tenant, case),
        )
        for tenant, case in cases.items()
    }


def forms_of(secret: str) -> set[str]:
    """The forms in which a secret is looked for, folded."""
    runs = [run for run in _RUN.findall(secret) if len(run) >= _SHORTEST_RUN]
    plain = {secret, "".join(secret.split()), *sorted(runs, key=len)[-1:]}
    return {form.lower() for form in plain} | {secret.encode().hex()}


async def _in_tables(stage: Stage, forms: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    async with stage.bare() as owner:
        for (table,) in await owner.fetch(_TABLES):
            rows = await owner.fetch(
                f"SELECT form FROM unnest($1::text[]) AS form WHERE EXISTS"
                f" (SELECT FROM {table} AS kept WHERE strpos(lower(kept::text), form) > 0)",
                forms,
            )
            found += [(f"table {table}", row["form"]) for row in rows]
    return found


async def _elsewhere(stage: Stage, forms: Mapping[str, tuple[UUID, int]]) -> list[tuple[str, str]]:
    logged = repr(list(stage.logged)).lower()
    found = [("log", form) for form in forms if form in logged]
    for tenant in {tenant for tenant, _ in forms.values()}:
        told = (await _told_by_temporal(stage, tenant)).lower()
        found += [("history", form) for form, (whose, _) in forms.items() if whose == tenant and form in told]
    return found


async def _told_by_temporal(stage: Stage, tenant: UUID) -> str:
    """All that the server tells of a tenant's workflows, every payload beside its decoded form."""
    told: list[str] = []
    async for execution in stage.client.list_workflows(f"KeepwellTenant = '{tenant}'"):
        handle = stage.client.get_workflow_handle(execution.id, run_id=execution.run_id)
        described = json_format.MessageToJson((await handle.describe()).raw_description)
        for document in ((await handle.fetch_history()).to_json(), described):
            told += [document, *decoded(json.loads(document))]
    return "\n".join(told)


def decoded(value: object) -> Iterator[str]:
    """Every payload of a history that holds text, decoded."""
    if isinstance(value, dict):
        for inner in cast("dict[str, Any]", value).values():
            yield from decoded(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from decoded(inner)
    elif isinstance(value, str):
        try:
            yield base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return


async def _kept(stage: Stage, tenant: UUID, case: Case) -> frozenset[int]:
    if all(planted.secret for planted in case.planted):
        return frozenset()
    async with stage.bare() as owner:
        log = "\n".join(row["words"] for row in await owner.fetch(_KEPT, tenant))
    return frozenset(n for n, planted in enumerate(case.planted) if planted.string in log)
