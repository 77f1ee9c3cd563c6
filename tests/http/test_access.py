"""Who may call what: every route, asked by everybody in scopes within and beyond their reach, as the policy says.

The routes come from the OpenAPI document, so that one that is new cannot be forgotten here.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import httpx2
import pytest
from sqlalchemy import text

from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.scope import Scope
from models.verbs import Verb
from store.engine import Database
from surfaces.http.application import described
from tests.http.conftest import Asking, Founding, Statements, own
from tests.http.country import SCOPES, Place, filled, nowhere, settle
from tests.http.routes import OPEN, ROUTES
from tests.world import World

STAGING = {"workspace": "staging-cloud"}


class Country(NamedTuple):
    """One tenant: its people, the records in each of its scopes, and how to ask by a real server."""

    asking: Asking
    places: list[Place]
    caller: httpx2.AsyncClient
    people: dict[str, Principal]
    tokens: dict[str, str]

    async def ask(self, token: str | None, name: str, place: Place, **options: Any) -> httpx2.Response:
        """One call of the route called `name`; of a stream only the beginning."""
        route = ROUTES[name]
        body = None if route.body is None else route.body(place)
        headers = dict(options.pop("headers", {}))
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        request = self.caller.build_request(
            name.partition(" ")[0], route.path(name, place), json=body, headers=headers, **options
        )
        answer = await self.caller.send(request, stream=True)
        try:
            if not answer.headers.get("content-type", "").startswith("text/event-stream"):
                await answer.aread()
        finally:
            await answer.aclose()
        return answer

    async def rows(self, table: str) -> int:
        """How many rows of a table the tenant has."""
        async with self.asking.world.database.transaction(self.asking.world.lead.tenant_id) as work:
            row = await work.row(text(f"SELECT count(*) AS n FROM {table}"))
        assert row is not None
        return int(row.n)


def people_of(world: World, policy: Policy) -> dict[str, Principal]:
    """Somebody in each role, the declared systems, somebody without a role, and narrowed credentials."""
    human, agent, system = PrincipalKind
    people = {role: world.principal("uma", human, role) for role in sorted(policy.roles)}
    people |= {f"system {name}": world.principal(name, system) for name in sorted(policy.systems)}
    operator, admin = people["operator"], people["admin"]
    return people | {
        "nobody": world.principal("uma", human),
        "unknown role": world.principal("uma", human, "emperor"),
        "an agent of two roles": world.principal("bot", agent, "developer", "participant"),
        "an agent in the role admin": world.principal("bot", agent, "admin"),
        "a person called like a system": world.principal("qa-pipeline", human),
        "a system nobody declared": world.principal("rogue", system),
        "operator within staging": operator.model_copy(update={"within": STAGING}),
        "operator within another": operator.model_copy(update={"within": {"workspace": "other"}}),
        "operator within a project": operator.model_copy(update={"within": {**STAGING, "project": "apollo"}}),
        "operator who only reads": operator.model_copy(update={"only": frozenset({Verb.READ})}),
        "operator who only speaks": operator.model_copy(
            update={"only": frozenset({Verb.PUBLISH, Verb.REMEMBER, Verb.CORRECT})}
        ),
        "lead who only recalls in staging": world.lead.model_copy(
            update={"only": frozenset({Verb.RECALL}), "within": STAGING}
        ),
        "admin within staging": admin.model_copy(update={"within": STAGING}),
        "admin who only administers": admin.model_copy(update={"only": frozenset({Verb.ADMINISTER})}),
    }


async def token_of(asking: Asking, policy: Policy, who: Principal) -> str:
    """A key for somebody, narrowed as they are; for somebody who may do nothing, one that another policy allowed."""
    declared = who.kind is PrincipalKind.SYSTEM and who.subject in policy.systems
    if not set(who.roles) <= set(policy.roles) or not (who.roles or declared):
        return await asking.left_over(who)
    if not who.within and who.only is None:
        return await asking.token_of(who)
    plain = who.model_copy(update={"within": {}, "only": None})
    return await asking.token_of(plain, within=who.within, only=who.only)


@pytest.fixture(scope="module")
async def countries(found: Founding, policy: Policy, url: str) -> AsyncGenerator[tuple[Country, Country]]:
    """Two tenants with the same people, scopes and names."""
    made: list[Country] = []
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as caller:
        for _ in range(2):
            asking = await found()
            places = [await settle(asking, scope) for scope in SCOPES]
            people = people_of(asking.world, policy)
            tokens = {label: await token_of(asking, policy, who) for label, who in people.items()}
            made.append(Country(asking, places, caller, people, tokens))
        yield made[0], made[1]


def test_no_route_is_forgotten() -> None:
    paths: dict[str, dict[str, Any]] = described().openapi()["paths"]
    found = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert found == set(ROUTES)


def test_the_matrix_is_no_formality(policy: Policy) -> None:
    """The cases hold each decision of the policy both ways, for records and for requests."""
    world = World(None, None, "somebody")  # type: ignore[arg-type]
    seen: Counter[tuple[Verb, bool, bool]] = Counter()
    for who in people_of(world, policy).values():
        for scope in map(Scope, SCOPES):
            for verb in Verb:
                seen[verb, policy.allows(who, verb, scope), policy.may_know(who, verb, scope)] += 1
    for verb in Verb:
        assert seen[verb, True, True]
        assert seen[verb, False, False]
    assert seen[Verb.READ, False, True]


@pytest.mark.parametrize("name", sorted(ROUTES))
async def test_a_call_is_answered_exactly_where_the_policy_says_so(
    countries: tuple[Country, Country], policy: Policy, name: str
) -> None:
    country = countries[0]
    before = {table: await country.rows(table) for table in ("events", "confirmations", "api_keys")}
    wrong: list[str] = []
    told: Counter[int] = Counter()
    for label, who in country.people.items():
        for place in country.places:
            answer = await country.ask(country.tokens[label], name, place)
            expected = ROUTES[name].status(policy, who, place)
            told[answer.status_code] += 1
            if answer.status_code != expected:
                wrong.append(
                    f"{label} in {place.scope}: {answer.status_code} and not {expected}: {answer.text}"
                )
            if not answer.is_success and answer.headers["content-type"] != "application/problem+json":
                wrong.append(f"{label} in {place.scope}: {answer.headers['content-type']}")
    assert wrong == []
    # What was refused has left nothing behind.
    written = {
        "POST /v1/events": 1,
        "POST /v1/events/batch": 2,
        "POST /v1/memories": 1,
        "POST /v1/intentions": 1,
        "POST /v1/proposals": 1,
    }.get(name, 0)
    good = told[200] + told[201]
    assert await country.rows("events") - before["events"] == written * good
    assert await country.rows("confirmations") == before["confirmations"]
    made = {"POST /v1/keys": good}.get(name, 0)
    assert await country.rows("api_keys") - before["api_keys"] == made


def wrong_credentials() -> Iterator[tuple[str, dict[str, str]]]:
    """Headers by which nobody calls."""
    unknown = f"kw_tenant_{uuid4().hex}_{'0' * 64}"
    yield "none", {}
    yield "empty", {"authorization": ""}
    yield "no token", {"authorization": "Bearer"}
    yield "another scheme", {"authorization": "Basic cm9vdDpyb290"}
    yield "an unknown key", {"authorization": f"Bearer {unknown}"}
    yield "no key at all", {"authorization": "Bearer kw_"}
    yield "a token of nobody", {"authorization": "Bearer e30.e30.e30"}


@pytest.mark.parametrize("name", sorted(set(ROUTES) - OPEN))
async def test_nobody_comes_in_without_a_credential(countries: tuple[Country, Country], name: str) -> None:
    """Whether the ids exist or not, nothing is told; and a body that cannot be read is not even looked at."""
    country = countries[0]
    for place in (country.places[1], nowhere(STAGING)):
        for label, headers in wrong_credentials():
            answer = await country.ask(None, name, place, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), label
            assert answer.headers["www-authenticate"] == "Bearer"
    method, path = name.split(" ")
    for broken in ("not-a-uuid", str(uuid4())):
        answer = await country.caller.request(method, filled(path, broken), content=b"{")
        assert answer.status_code == 401


def plain(answer: httpx2.Response) -> dict[str, Any]:
    """A problem without what differs from request to request."""
    return {name: value for name, value in answer.json().items() if name != "request_id"}


WITH_IDS = sorted(name for name in ROUTES if "_id}" in name)


@pytest.mark.parametrize("name", [*WITH_IDS, "POST /v1/memories/{memory_id}/confirm evidence"])
async def test_a_record_of_another_tenant_is_like_none(
    countries: tuple[Country, Country], database: Database, name: str
) -> None:
    """The same answer and the same statements, for an id of the other tenant and for one that nobody has."""
    mine, theirs = countries
    role = "admin" if "/keys/" in name else "operator"
    token = mine.tokens[role]
    at_home, abroad, missing = mine.places[1], theirs.places[1], nowhere(STAGING)
    if name.endswith(" evidence"):
        name = name.removesuffix(" evidence")
        abroad, missing = (each._replace(fact_id=at_home.fact_id) for each in (abroad, missing))
    await mine.ask(token, name, missing)
    seen: list[tuple[int, dict[str, Any], list[str]]] = []
    for place in (abroad, missing):
        with Statements(database) as sent:
            answer = await mine.ask(token, name, place)
        seen.append((answer.status_code, plain(answer), own(sent)))
        assert not [each for each in place[1:] if str(each) in answer.text]
    assert seen[0] == seen[1]
    assert (seen[0][0], seen[0][1]["code"]) == (404, "not_found")
    assert seen[0][2]


@pytest.mark.parametrize("name", [*WITH_IDS, "POST /v1/memories/{memory_id}/confirm evidence"])
async def test_a_record_beyond_reach_is_like_none(countries: tuple[Country, Country], name: str) -> None:
    """Within one tenant as well: whoever asks from where they may be learns nothing of what is elsewhere."""
    country = countries[0]
    if "/keys/" in name:
        return
    who, home, beyond = country.tokens["user"], country.places[4], country.places[1]
    here = {"scope": home.scope}
    away, missing = beyond._replace(**here), nowhere(home.scope)
    if name.endswith(" evidence"):
        name = name.removesuffix(" evidence")
        away, missing = (each._replace(fact_id=home.fact_id) for each in (away, missing))
    answers = [await country.ask(who, name, place) for place in (away, missing)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert plain(answers[0]) == plain(answers[1])


async def test_equal_names_of_two_tenants_never_meet(countries: tuple[Country, Country]) -> None:
    mine, theirs = countries
    token = mine.tokens["operator"]
    foreign = {str(each) for place in theirs.places for each in place[1:]}
    for place in mine.places:
        for name in ("POST /v1/memories/query", "POST /v1/recall", "POST /v1/history"):
            answer = await mine.ask(token, name, place)
            assert answer.is_success
            assert not [each for each in foreign if each in answer.text]
    keys = await mine.asking.get(mine.asking.admin, "/v1/keys")
    assert not foreign & {each["id"] for each in keys["keys"]}


async def test_a_scope_beyond_reach_hides_in_lineage_and_lists(countries: tuple[Country, Country]) -> None:
    """Whoever may read a part of the tenant sees that part, and what holds everywhere."""
    country = countries[0]
    reader = country.tokens["user"]
    within, beyond = country.places[4], country.places[1]
    answer = await country.ask(reader, "POST /v1/memories/query", within)
    found = {each["id"] for each in answer.json()["memories"]}
    assert {str(within.fact_id), str(country.places[0].fact_id)} <= found
    assert str(beyond.fact_id) not in found
    assert {tuple(each["scope"].items()) for each in answer.json()["memories"]} == {(), (("user", "uma"),)}
