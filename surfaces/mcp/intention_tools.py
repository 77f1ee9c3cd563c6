"""The tools of intentions: a model sets, lists and gives up its own, takes what is due, and says what came of it.

None of them takes an owner. Whoever may assign to others by another way in may not do so through a model.
"""

from mcp_types import ToolAnnotations

from models.errors import NotPermitted
from models.intention_reach import verb_for
from models.intentions import IntentionQuery, NewIntention
from models.principals import Principal
from models.verbs import Verb
from runtime.service import Service
from surfaces.http import intending as wire
from surfaces.http.answers import InboxTaken, IntentionChanged, IntentionPage
from surfaces.mcp import intention_telling as telling
from surfaces.mcp import words
from surfaces.mcp.arguments import AcknowledgeArguments, CancelArguments, InboxArguments, SnoozeArguments
from surfaces.mcp.tool import READS, Told, Tool


async def _intend(service: Service, who: Principal, new: NewIntention) -> Told:
    answer = await wire.changed_by(service, who, await service.intentions.intend(who, new))
    return Told(telling.intended(answer), answer)


async def _intentions(service: Service, who: Principal, asked: IntentionQuery) -> Told:
    answer = wire.page(await service.agenda.page(who, asked))
    return Told(telling.listed(answer), answer)


async def _cancel(service: Service, who: Principal, asked: CancelArguments) -> Told:
    planned, _ = await service.agenda.one(who, asked.intention_id)
    if verb_for(who, planned.intention.owner) is not Verb.INTEND:
        raise NotPermitted(
            "is not your own, and a model gives up its own alone; ask its owner", field="intention_id"
        )
    word = await service.intentions.cancel(who, asked.intention_id, asked.cancellation)
    answer = await wire.changed_by(service, who, word)
    return Told(telling.cancelled(answer), answer)


async def _inbox(service: Service, who: Principal, asked: InboxArguments) -> Told:
    found = await service.inbox.take(who, asked)
    return Told(telling.handed_out(found), InboxTaken(due=[wire.due(each) for each in found]))


async def _acknowledge(service: Service, who: Principal, asked: AcknowledgeArguments) -> Told:
    word = await service.inbox.acknowledge(who, asked.occurrence_id, asked.acknowledgement)
    answer = await wire.changed_by(service, who, word)
    return Told(telling.acknowledged(answer), answer)


async def _snooze(service: Service, who: Principal, asked: SnoozeArguments) -> Told:
    word = await service.inbox.snooze(who, asked.occurrence_id, asked.snooze)
    answer = await wire.changed_by(service, who, word)
    return Told(telling.put_off(answer), answer)


def _writes(*, ends: bool = False, once: bool = False) -> ToolAnnotations:
    """Of a tool that writes: whether it ends something, and whether the same call again does no more."""
    return ToolAnnotations(
        read_only_hint=False, destructive_hint=ends, idempotent_hint=once, open_world_hint=False
    )


INTENTION_TOOLS = (
    Tool(
        name="intend",
        title="Set an intention for yourself",
        description=words.INTEND,
        fields=words.INTEND_FIELDS,
        takes=NewIntention,
        gives=IntentionChanged,
        annotations=_writes(),
        run=_intend,
    ),
    Tool(
        name="intentions",
        title="Your own intentions",
        description=words.INTENTIONS,
        fields=words.INTENTIONS_FIELDS,
        takes=IntentionQuery,
        gives=IntentionPage,
        annotations=READS,
        run=_intentions,
    ),
    Tool(
        name="cancel_intention",
        title="Give an intention of yours up",
        description=words.CANCEL,
        fields=words.CANCEL_FIELDS,
        takes=CancelArguments,
        gives=IntentionChanged,
        annotations=_writes(ends=True, once=True),
        run=_cancel,
    ),
    Tool(
        name="inbox",
        title="Take what is due",
        description=words.INBOX,
        fields=words.INBOX_FIELDS,
        takes=InboxArguments,
        gives=InboxTaken,
        annotations=_writes(),
        run=_inbox,
    ),
    Tool(
        name="acknowledge",
        title="Say what came of something due",
        description=words.ACKNOWLEDGE,
        fields=words.ACKNOWLEDGE_FIELDS,
        takes=AcknowledgeArguments,
        gives=IntentionChanged,
        annotations=_writes(once=True),
        run=_acknowledge,
    ),
    Tool(
        name="snooze",
        title="Put something due off",
        description=words.SNOOZE,
        fields=words.SNOOZE_FIELDS,
        takes=SnoozeArguments,
        gives=IntentionChanged,
        annotations=_writes(once=True),
        run=_snooze,
    ),
)
