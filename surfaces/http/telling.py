"""Tell internal records in the shapes of the wire. Nothing is decided here and nothing is read."""

from collections.abc import Sequence

from models.api_keys import ApiKey
from models.explanation import Explanation
from models.facts import Fact, Status
from models.history import FactLife
from models.news import TransitionTold, VerdictTold
from models.principals import Principal
from models.recall import RecallAnswer, RecalledFact, RecalledPassage
from models.statements import Decided, EventVerdict, Stated
from recall.memories import FactRead, Lineage, Memory, Page
from store.episodes import Episode
from surfaces.http import answers
from surfaces.http.answers import AuthorityName


def decision(decided: Decided) -> answers.DecisionMade:
    return answers.DecisionMade(
        kind=decided.kind,
        attribute=decided.attribute,
        verdict=decided.verdict,
        reason=decided.reason,
        memory_id=decided.fact_id,
        concerns=decided.target_id,
        recorded_at=decided.recorded_at,
    )


def event_verdict(told: EventVerdict) -> answers.EventVerdictTold:
    return answers.EventVerdictTold(
        event_id=told.event_id,
        activity=told.activity_id,
        stage=told.stage,
        episode_id=told.episode_id,
        decisions=[decision(each) for each in told.decisions],
    )


def statement(stated: Stated) -> answers.StatementOutcome:
    """A statement that restated a fact is told as that fact."""
    decided = stated.decided
    made = None if decided is None else decided.fact_id or (decided.target_id if stated.governs else None)
    return answers.StatementOutcome(
        event_id=stated.event_id,
        activity=stated.activity_id,
        duplicate=stated.duplicate,
        verdict="pending" if decided is None else decided.verdict,
        reason=None if decided is None else decided.reason,
        governs=stated.governs,
        memory_id=made,
        concerns=None if decided is None else decided.target_id,
    )


def recalled(answer: RecallAnswer) -> answers.Recalled:
    return answers.Recalled(
        facts=[_recalled_fact(fact) for fact in answer.facts],
        passages=[_recalled_passage(passage) for passage in answer.passages],
        advice=answer.advice,
        missing=list(answer.missing),
        over_budget=list(answer.over_budget),
        tokens=answer.tokens,
        limit=answer.limit,
        left_out=answer.left_out,
        as_of=answer.as_of,
    )


def _recalled_fact(fact: RecalledFact) -> answers.RecalledFactTold:
    return answers.RecalledFactTold(
        id=fact.id,
        canonical=fact.canonical,
        entity=fact.entity,
        attribute=fact.attribute,
        value=fact.value,
        ends_when=fact.ends_when,
        expires_at=fact.expires_at,
        valid_from=fact.valid_from,
        authority=AuthorityName.of(fact.authority),
        authority_role=fact.authority_role,
        standing=fact.standing,
        statement=fact.statement,
        sources=list(fact.sources),
        episodes=list(fact.episodes),
        about=list(fact.about),
        score=fact.score,
        reasons=list(fact.reasons),
        required=fact.required,
        text=fact.text,
    )


def _recalled_passage(passage: RecalledPassage) -> answers.RecalledPassageTold:
    return answers.RecalledPassageTold(
        id=passage.id,
        episode_id=passage.episode_id,
        occurred_at=passage.occurred_at,
        text=passage.text,
        sources=list(passage.sources),
        score=passage.score,
        reasons=list(passage.reasons),
    )


def fact(read: Fact, status: Status) -> answers.FactTold:
    return answers.FactTold(
        id=read.id,
        scope=read.scope,
        entity=answers.EntityTold(canonical=read.subject.canonical, name=read.subject.name),
        attribute=read.attribute,
        value=read.terms.value,
        ends_when=read.terms.ends_when,
        expires_at=read.terms.expires_at,
        status=status,
        valid_from=read.valid_from,
        ended_at=read.ended_at,
        ending=read.ending,
        stated_at=read.stated_at,
        restated_at=read.restated_at,
        recorded_at=read.recorded_at,
        authority=AuthorityName.of(read.authority),
        authority_role=read.authority_role,
        standing=read.standing,
        challenges=read.challenges,
        statement=read.statement,
    )


def episode(read: Episode) -> answers.EpisodeTold:
    return answers.EpisodeTold.model_validate(
        {
            **read._asdict(),
            "activity": read.activity_id,
            "activity_id": read.activity,
            "scope": dict(read.scope),
        }
    )


def memory(read: Memory) -> answers.FactTold | answers.EpisodeTold:
    return fact(read.fact, read.status) if isinstance(read, FactRead) else episode(read)


def page(read: Page) -> answers.MemoryPage:
    return answers.MemoryPage(
        memories=[memory(each) for each in read.memories], next=read.next, as_of=read.as_of
    )


def history(lives: Sequence[FactLife]) -> answers.HistoryTold:
    return answers.HistoryTold(lives=[_life(each) for each in lives])


def _life(life: FactLife) -> answers.LifeTold:
    return answers.LifeTold(
        fact=fact(life.fact, life.status),
        gate=life.gate,
        changes=[answers.ChangeTold.model_validate(change.model_dump()) for change in life.changes],
        sources=list(life.sources),
        confirmations=[answers.ClaimedTold.model_validate(said.model_dump()) for said in life.confirmations],
    )


def lineage(walked: Lineage) -> answers.LineageTold:
    return answers.LineageTold(
        nodes=[
            answers.LineageNode(id=node.id, kind=node.kind, distance=node.distance) for node in walked.nodes
        ],
        edges=[answers.LineageEdge(child=child, parent=parent) for child, parent in walked.edges],
        hidden=walked.hidden,
        truncated=walked.truncated,
    )


def explanation(explained: Explanation) -> answers.ExplanationTold:
    return answers.ExplanationTold(
        record_id=explained.record_id,
        as_of=explained.as_of,
        included=explained.included,
        dropped_at=explained.dropped_at,
        checks=list(explained.checks),
    )


def news(told: VerdictTold | TransitionTold) -> answers.VerdictNews | answers.TransitionNews:
    if isinstance(told, VerdictTold):
        return answers.VerdictNews(
            event_id=told.event_id,
            kind=told.kind,
            attribute=told.attribute,
            verdict=told.verdict,
            reason=told.reason,
            memory_id=told.fact_id,
            concerns=told.target_id,
            recorded_at=told.recorded_at,
        )
    return answers.TransitionNews(
        memory_id=told.record_id,
        from_status=told.from_status,
        to_status=told.to_status,
        rule=told.rule,
        reason=told.reason,
        effective_at=told.effective_at,
        recorded_at=told.recorded_at,
    )


def key(made: ApiKey) -> answers.KeyTold:
    return answers.KeyTold(
        id=made.id,
        name=made.name,
        subject=made.subject,
        kind=made.kind,
        roles=list(made.roles),
        within=made.within,
        only=None if made.only is None else sorted(made.only),
        created_at=made.created_at,
        expires_at=made.expires_at,
        revoked_at=made.revoked_at,
        last_used_at=made.last_used_at,
    )


def principal(who: Principal) -> answers.PrincipalTold:
    return answers.PrincipalTold(
        tenant=who.tenant,
        tenant_id=who.tenant_id,
        subject=who.subject,
        kind=who.kind,
        roles=list(who.roles),
        within=who.within,
        only=None if who.only is None else sorted(who.only),
    )
