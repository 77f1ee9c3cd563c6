"""What an export tells of records that are held: all of them to whoever may see everything, less to the person.

`reader` is the person where they ask for their own export, and None for whoever may administer the tenant.
"""

from typing import Literal

from models.contracts import Control
from models.controls import About, class_of, may_see, permits
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope
from models.verbs import Verb

Withholding = Literal["beyond_reach", "class_without_export"]


def withheld_memory(
    policy: Policy, reader: Principal | None, attribute: str, scope: Scope, about: About
) -> Withholding | None:
    """Why a memory that is about the person, or rests on their words among others, is not told; None where it is.

    | asked for by | it is about the person | | |
    | --- | --- | --- | --- |
    | whoever sees all | either | | told |
    | the person | yes | its class lets them export it | told |
    | the person | yes | its class does not | `class_without_export` |
    | the person | no | they may see it by their roles | told |
    | the person | no | they may not | `beyond_reach` |
    """
    if reader is None:
        return None
    if about.person == reader.subject:
        allowed = permits(reader, Control.EXPORT, class_of(policy, attribute), about.person)
        return None if allowed else "class_without_export"
    return None if may_see(policy, reader, attribute, scope, about) else "beyond_reach"


def withheld_record(
    policy: Policy, reader: Principal | None, scope: Scope, *, theirs: bool, quotes_hidden: bool
) -> Withholding | None:
    """Why an event or an episode is not told; None where it is.

    `theirs` says that the person spoke the event, or all of the episode's, or that its scope names them, and
    `quotes_hidden` that it speaks of a memory whose class does not have them among its readers.

    | asked for by | `theirs` | the person may read in its scope | it quotes what is hidden | |
    | --- | --- | --- | --- | --- |
    | whoever sees all | either | either | either | told |
    | the person | yes | either | either | told: it is their own word, or about them |
    | the person | no | yes | no | told |
    | the person | no | yes | yes | `beyond_reach` |
    | the person | no | no | either | `beyond_reach` |
    """
    if reader is None or theirs or (policy.may_know(reader, Verb.READ, scope) and not quotes_hidden):
        return None
    return "beyond_reach"
