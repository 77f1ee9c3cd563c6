"""What may be asked of Keepwell. Every surface names one of these, and the policy decides on it."""

from enum import StrEnum


class Verb(StrEnum):
    """One thing that a caller may do, where a role of the policy allows it.

    | verb | means |
    | --- | --- |
    | publish | append events |
    | recall | ask what should influence the next decision, and why a record is in the answer or not |
    | read | list and read memories, their history and lineage, what became of events, one's own news |
    | remember | state a fact and wait for the verdict |
    | correct | state other terms for a fact |
    | retract | withdraw a fact |
    | confirm | say that the condition which ends a fact is met |
    | review | see what is held, disputed or proposed, and accept, edit or reject it |
    | propose | draft procedures, and see what is proposed |
    | intend | set, change and cancel intentions of one's own, and take and acknowledge what comes into one's inbox |
    | assign | the same for others: set an intention for somebody, hand one over, see and change those of a scope |
    | erase | ask that something be forgotten; for the whole tenant also see and confirm erasures |
    | hold | forbid for a time that something be erased, for the whole tenant |
    | administer | make, list and revoke API keys, and change the policy |

    To be allowed to say something does not make it count: whose statement governs is decided by the
    attributes, which name the roles that may `write` and `confirm` them, and who decides on a procedure by its class.
    """

    PUBLISH = "publish"
    RECALL = "recall"
    READ = "read"
    REMEMBER = "remember"
    CORRECT = "correct"
    RETRACT = "retract"
    CONFIRM = "confirm"
    REVIEW = "review"
    PROPOSE = "propose"
    INTEND = "intend"
    ASSIGN = "assign"
    ERASE = "erase"
    HOLD = "hold"
    ADMINISTER = "administer"
