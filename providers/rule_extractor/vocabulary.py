"""The words that the grammar is made of. Lists only: what a word leads to is in `grammar.py`."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LIFECYCLE_VERBS = (
    "stop|shut down|shutdown|terminate|delete|kill|restart|reboot|decommission|scale down"
    "|turn off|power off|switch off|take down|tear down|spin down|remove|destroy|release|retire"
    "|suspend|pause|drop|evict|drain|reclaim|wipe|recycle|deprovision|deallocate"
)
LETTING_GO_VERBS = (
    "stop|shut down|shutdown|terminate|delete|kill|decommission|scale down|turn off|power off"
    "|switch off|take down|tear down|spin down|remove|destroy|release|retire|reclaim|wipe"
    "|deprovision|deallocate"
)
LET_GO = (
    "stopped|shut down|terminated|deleted|killed|decommissioned|scaled down|turned off"
    "|powered off|switched off|taken down|torn down|spun down|removed|destroyed|released|retired"
    "|reclaimed|wiped|deprovisioned|deallocated"
)
SEPARABLE_VERBS = "shut|turn|power|switch|take|tear|spin|scale|bring"
PARTICLES = "down|off|offline"
CHANGE_VERBS = (
    "touch|change|modify|deploy|deploy to|deploy into|deploy on|upgrade|update|edit|alter|patch"
    "|migrate|move|rename|reconfigure|configure|redeploy|resize|rotate|merge|merge to|merge into"
    "|push to|write to|commit to|publish to|release to|rebuild|refactor|replace|reset|roll back"
    "|rollback|reinstall|install on|overwrite|downgrade|truncate|format|unlock|mess with"
    "|interfere with|tamper with|tweak|scale|scale up|enable|disable|repoint|fork"
)
STATES = (
    "up and running|running|up|online|reserved|on|alive|in place|frozen|available|active|live"
    "|enabled|powered on|switched on|turned on|locked|intact|untouched|unchanged|provisioned"
    "|allocated|around|open|warm|in service|on standby|as it is|as is|off|offline|stopped|down"
    "|paused|disabled|suspended|powered off|switched off|turned off|closed"
)
NEGATIONS = "do not ever|don't ever|do not|don't|dont|never ever|never"
FORBIDDING = "must never|must not|mustn't|should never|should not|shouldn't|may not"
GIVEN_UP = "anymore|any more|any longer"

END_WORDS = frozenset({"until", "till", "til", "through", "thru", "before"})
END_LEADERS = _words("at least up right only just all the way anyway please for now still too again as well")
"""Words that may stand before an end word: "at least until", "all the way through", "anyway until"."""

ALTERNATIVES = _words("or and unless whichever whatever if except even provided but not only")
"""After a date and a comma, these go on with the condition of which the date is a part."""

PASSAGES = _words(
    "proxy balancer gateway vpn tunnel network firewall api systemd docker kubernetes nginx mesh bastion"
)
"""What something runs *through* without ending there."""

CONNECTIVES = _words(
    "but so because since otherwise then afterwards please even regardless thanks thank which not "
    "instead rather whatever anyway though although i "
    "do don't never keep leave"
)
"""After a comma, these begin something new, so a condition in words ends before them."""

BREAKS = (
    "because",
    "instead of",
    "rather than",
    "even if",
    "even though",
    "regardless",
    "so that",
    "otherwise",
    "and then",
)
"""These end a condition without a comma."""

REASONS = _words("so because since otherwise please thanks thank i")
BECAUSE = ("because", "so that", "otherwise")
"""The same for the text of a rule, of which an exception or an alternative is a part."""

NEW_ORDERS = _words("then please do don't never keep leave also")
"""After ", and", these begin another instruction."""

QUALIFIERS = _words(
    "until till til through thru before unless except if once while whenever when provided after"
)
"""In what follows a complete instruction, these would change it: such a sentence is not read."""

GENERIC = {
    "instance": "compute",
    "server": "compute",
    "machine": "compute",
    "host": "compute",
    "node": "compute",
    "vm": "compute",
    "box": "compute",
    "service": "service",
    "cluster": "cluster",
    "database": "database",
    "bucket": "bucket",
    "job": "job",
    "pipeline": "pipeline",
}
"""Nouns that point back when they stand alone with "the", and the sort of thing that they name."""

THINGS = frozenset(GENERIC) | _words(
    "queue table topic deployment environment env namespace repo repository branch proxy cache "
    "endpoint api app application worker container pod volume disk index account gateway firewall "
    "balancer backup snapshot cron cronjob scheduler replica dashboard website site system suite "
    "runner registry network vpc subnet domain certificate cert flag test build release model "
    "workflow process daemon agent stack region staging production prod sandbox db schema migration "
    "config configuration page file template policy threshold portal server cdn dns lambda function "
    "script package library module plugin image artifact dataset warehouse lake stream broker shard "
    "partition role token key secret bot webhook integration feed report invoice ledger mailbox "
    "calendar spreadsheet document doc wiki tracker board ticket monitor alert router switch nic rack "
    "gpu"
)
"""Nouns that name something an agent may work on; a noun phrase is one only when it ends in one of these."""

BARE = frozenset({"staging", "production", "prod"})
"""Names in their own right: no article needed."""

DETERMINERS = frozenset({"the", "our", "this", "that", "my", "your"})

FUNCTION_WORDS = _words(
    "a an the this that these those it its he she they them we us you i me him her his hers my our "
    "your their and or but nor so yet if then than as of in on at by for from to with without into "
    "onto over under about up down off out is are was were be been being am do does did done has have "
    "had having will would shall should can could may might must not no never always some any every "
    "each all both many much more most few one two several other another such same own who whom whose "
    "which what when where why how there here anything everything something nothing anyone everyone "
    "someone nobody somebody everybody thing things stuff using doing going looking talking trying "
    "getting making waiting posting letting taking giving keep use said says say told asked think "
    "thinks guess believe know hope want wants need needs like really very just only also too still "
    "again ever now today tomorrow yesterday because since until till while after before that's it's "
    "i'm i'd i'll i've you're we're they're let let's don't isn't wasn't"
)
"""A noun phrase holds none of these."""

ENGLISH_AFFIXES = (
    r"(?:.*-)?(?:up|ups|in|out|outs|off|offs|down|downs|on|by|to|of|the|and|a|end|term|time|based"
    r"|ready|friendly|level|wide|old|year|day|days|hand|side|ins|ons|in-law|being|free|made|like"
    r"|less|specific|related|driven|facing|owned|aware|safe|only|first|style|purpose|grade|call"
    r"|team|site|house|hour|week|month|long|ish)|(?:re|pre|post|non|self|long|short|high|low|well"
    r"|co|anti|semi|multi|cross|ex|mid|half|all|over|under|follow|hand|real|full|part|one|two"
    r"|three|first|second|third|best|most|ever|so|much|old|new|good|hard|easy|brand|right|left|top"
    r"|built|up|in|on|off|out|back|day|week|e|t|x|vice|mother|father|sister|brother|son|daughter"
    r"|check|sign|log|set|clean|start|step|stand|run|read|write|back|side)-.*"
)
"""Hyphenated words of ordinary English, which name nothing: "follow-up", "re-run", "self-care"."""

PREFIXES = _words("self re pre post non multi cross single full high low co anti semi")
"""A hyphenated word that begins so is an ordinary one."""

TECHNICAL_PARTS = frozenset(THINGS) | _words(
    "svc srv web ui frontend backend dev qa bench ci cd etl kafka redis postgres mysql mongo elastic "
    "search auth billing payments orders metrics logs data primary secondary main master canary blue "
    "green east west eu us ap core edge ingest gateway lb k8s store storage"
)
"""A hyphenated word that ends in one of these is a name: "billing-api"."""

NO_OWNERS = FUNCTION_WORDS | _words("whoever nobody noone none probably maybe perhaps")

SUPPOSING = _words("have've have mean seem feel surely really of")
""""must have", "must mean": somebody supposes, and asks for nothing."""

NOT_A_DUTY = _words(
    "down up broken idle stuck slow wrong dead missing overloaded misconfigured busy offline online a "
    "an the so really very hard nice great tired due because full empty out in on off at about "
    "something just more difficult tough awesome amazing fun easy good bad new old"
)
""""must be" with one of these supposes something and asks for nothing."""

HEDGES = (
    r"\b(?:probably|maybe|might|seems?|seemingly|looks? like|i think|perhaps|could|likely|unlikely"
    r"|i guess|not sure|unsure|apparently|possibly|presumably|i believe|i suppose|i assume"
    r"|it appears|appears to|as far as i know|afaik|i suspect|i'd say|not certain|not entirely)\b"
)
REPORTS = (
    r"\b(?:(?<!\bi )(?<!\bwe )(?:said|says|say|told|tells|asked|asks|wrote|writes|claims|claimed"
    r"|suggested|suggests|insists|insisted|mentioned|mentions|recommends|recommended|advises"
    r"|advised|reads|stated|states|quoted|replied|argued|argues|believes|thinks|thought|wants"
    r"|wanted)|according to|quote|per the|as per|i was told|for example|for instance|e\.g|pretend"
    r"|imagine|suppose|hypothetically|in theory|would|wouldn't|if|unless|used to|not that"
    r"|doesn't mean|does not mean)\b"
)
"""Before an instruction, these make it somebody else's, or a supposition."""

BORROWED = (
    r"^(?:(?:here|this|that|it)(?:'s| is| are| was) )?(?:copied from|pasted from|taken from|forwarded from|from"
    r"|(?:the |a |an )?(?:contents?|text|body|output|summary|excerpts?|transcript) (?:of|from))\b"
    r".*\b(?:page|wiki|website|site|article|post|comment|tickets?|issue|mail|e-mail|email|message|thread|chat"
    r"|logs?|file|document|doc|docs|readme|report|tool|assistant|bot|chatbot|search|transcript),?$"
)
"""Before a colon, these say that what follows was found somewhere: "Summary of the page: …"."""

OPENING_CONDITIONS = (
    r"(?:^|[,;] (?:and |but |so )?)(?:when|whenever|once|as long as|as soon as|in case|after"
    r"|starting|assuming|provided|supposing|while|during|had|were|should|tomorrow|next|on|from|in"
    r"|at|by|every|each|except|for the)\b"
)
"""A part of a sentence that begins so says when the rest applies: such a sentence is not read."""

SMALL_TALK = _words(
    "nice good great a an the fun so lovely happy love loved loving amazing there here up been had "
    "felt feels feel wonderful awesome excited glad in on my your our his her their one something "
    "someone nervous tough hard important interesting helpful better best worth sad proud thought "
    "wanted was is are got get gets makes made brings comes happens remember think feeling having "
    "looking thinking laughing smiling crying seems i we you he she it they"
)
"""After "always", these begin no instruction."""

POINTING = _words("it this that them these those")
NOT_LIKED = POINTING | _words("him her you not when if my")
""""I prefer not to", "I prefer it that way": nothing that holds beyond the moment."""

TELLING = _words("i i'll i'm i've i'd we'll we're he she they it's he's she's they're")
"""After "from now on", these tell of somebody's plans."""
