"""The words by which promises, and wishes to be reminded, are told from what only looks like one."""

import re

from providers.time_phrases.words import MONTHS, WEEKDAYS


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ME = r"(?:remind|ping|nudge|notify) me"
OPENERS = re.compile(
    r"(?<![^ ])(?:(?P<promise>(?:i'll|i will|i shall|i'm going to|i am going to|i promise to)"
    r"(?: (?:also|then|just|definitely))?)"
    rf"|(?P<wish>(?:(?:please|kindly|also) )?{_ME}"
    rf"|(?:(?:can|could|will) you )(?:please )?{_ME}"
    r"|(?:please )?(?:don't|do not) let me forget"
    r"|(?:please )?(?:set|create|make) (?:me )?a reminder(?: for)?)"
    r"|(?P<other>(?:please )?remind (?P<name>[^ ,;]+)))(?=[ ,]|$)"
)
POLITE = re.compile(r"(?:can|could|will) you (?:please )?(?:remind|ping|nudge|notify) ")
"""A question that asks for it."""
HINT = re.compile(r"\bi\b|\bi['’‘ʼ＇]|remind|ping|nudge|notify|forget", re.IGNORECASE)
"""What a text has in which anything is to be found."""
LABELS = words("note todo reminder update fyi ps p.s also plan next done status result today fix ok")
"""Before a colon, these leave the words the sender's own."""
LINKS = words("to about that")
PRONOUNS = words(
    "me you him her us them it everyone everybody all people anyone anybody someone somebody yourself myself the a an"
    " my your our his their this that these those of to"
)
BOUNDARY = words("and so but then ok okay sure yes yep great alright right well done please also thanks")
"""What may part a promise from what is said before it, without a comma."""
COURTESIES = words("please thanks thank you ok okay cheers too as well again")
REASONS = words("because since so")
SUBORDINATE = words("that which who whose where what why how because since so")
"""What is said after one of these may be what the time belongs to: "the job that runs at 18:00"."""
PARTICIPLES = words(
    "made held set run due sent begun built found kept left done taken given seen open closed"
)
"""Before a time, these may be what it belongs to, as may any word in -ed: "the release planned on Friday at 14:00"."""
CONDITIONS = words(
    "if when whenever unless until till once after before while provided assuming otherwise whether should"
)
ASKING = words("check see verify ask confirm test find out")
"""After these "if" and "whether" ask, and set no condition."""
SUPPOSING = words(
    "said says say told tells tell wrote writes promised promises answered replied thinks thought claims claimed heard"
    " quote quoting never not don't doesn't didn't won't wouldn't can't cannot if when unless wish asked asks should"
    " would could might may maybe perhaps pretend imagine suppose example instance joke kidding"
)
"""In what stands before it, these make a promise somebody else's, a supposition, or none."""
NO_DEEDS = words(
    "be have need know think believe guess bet assume want like love hope wish miss remember forget not never no"
    " probably maybe perhaps try likely see say hardly rarely only"
)
"""With these after "I'll", nothing is promised that could be done at an instant."""
ENDS_ALONE = words("finish return leave arrive stop go come sleep wait rest start eat")
"""What somebody foretells of themselves, where it stands alone."""
ARTICLES = words("the a an our my your their his her its this that")
TIMES = frozenset(
    {
        *WEEKDAYS,
        *MONTHS,
        *(f"{day}s" for day in WEEKDAYS),
        *words("today tonight tomorrow yesterday morning afternoon evening night noon midday midnight"),
        *words("every each daily weekly monthly hourly yearly next last weekday weekdays weekend weekends"),
        *words("minute minutes hour hours day days week weeks month months year years am pm o'clock"),
        *words("later soon sometime eod asap now"),
    }
) - words("may march sat sun mon mar second")
"""Words of time. Those that are as often other words are not among them."""
DANGLING = words(
    "on at in by until till from to of the a an every each next last this that these those other or and than before"
    " after between for around about since within during with first second third fourth through as not no nor like per"
    " only"
)
"""What no action ends in: the time that was read would be a part of what was said."""
