"""Scores of words are those of BM25 as a reference library has them, over what the scopes of a request hold."""

import random

import bm25s  # pyright: ignore[reportMissingTypeStubs]
import pytest

from models.policy import Policy
from models.recall import RecalledPassage, RecallRequest
from models.scope import Scope
from models.text import terms
from recall.inquiry import Inquiry, instant_of
from recall.recall import consider
from store.keywords import BM25_B, BM25_K1
from tests.world import STAGING, World, event

WORDS = (
    "kiln",
    "audit",
    "restart",
    "gpu-bench-01",
    "refund_threshold",
    "v1.2.0",
    "backup",
    "freeze",
    "tariff",
    "審計",
)
PASSAGES = 40
ELSEWHERE = {"workspace": "production"}


def said(dice: random.Random) -> str:
    return " ".join(dice.choices(WORDS, weights=range(len(WORDS), 0, -1), k=dice.randint(2, 30)))


@pytest.mark.parametrize(
    "query", ["kiln", "audit restart gpu-bench-01", "v1.2.0 of the 審計", " ".join(WORDS)]
)
async def test_a_reference_library_agrees(world: World, policy: Policy, query: str) -> None:
    dice = random.Random(42)
    told = [
        event(type="feedback", activity_id=f"act-{number}", text=said(dice), scope=scope)
        for number, scope in enumerate([STAGING] * PASSAGES + [ELSEWHERE] * 5)
    ]
    await world.digest(await world.publish(world.lead, *told))
    request = RecallRequest(scope=STAGING, query=query, limit=100)
    async with world.database.transaction(world.lead.tenant_id) as work:
        scope = Scope(STAGING)
        found = await consider(work, Inquiry(policy, world.lead, scope, request, instant_of(request)))
    passages = [item for _, item in found.places if isinstance(item, RecalledPassage)]

    texts = [f"dana: {each['text']}" for each in told[:PASSAGES]]
    reference = bm25s.BM25(method="lucene", k1=BM25_K1, b=BM25_B)
    reference.index([list(terms(text).elements()) for text in texts], show_progress=False)
    # Lucene leaves out the factor that is the same for every term and every text.
    scores = reference.get_scores(list(terms(query))) * (BM25_K1 + 1)
    expected = {text: float(score) for text, score in zip(texts, scores, strict=True) if score > 0}
    assert {each.text: each.terms.words for each in passages} == pytest.approx(expected, rel=1e-5)
    assert len(expected) > 5
