"""How people word the demo's questions: synonyms, word order, dropped words, politeness, slips."""

from dataclasses import dataclass

from core.data.demo.draws import Draws
from core.data.demo.questions import Best, Compare, Condition, Hold, Many, Question, Relate, Things
from core.data.demo.schema import AMOUNT, Number, Words

_AFTER = {  # kind of phrase → how it follows a noun
    "are": "{}|{}|that are {}|which are {}",
    "are not": "not {}|that are not {}|which aren't {}",
    "have": "with {}|with {}|that have {}|having {}",
    "have no": "without {}|that have no {}|with no {}",
    "whose": "whose {}|where the {}",
    "verb": "that {}|which {}",
    "verb not": "that do not {}|which don't {}",
}
_PREDICATE = {  # kind of phrase → how it says something of a noun
    "are": "are {}",
    "are not": "are not {}|aren't {}",
    "have": "have {}|have got {}",
    "have no": "have no {}|do not have {}",
    "verb": "{}",
    "verb not": "do not {}|don't {}",
}
_ASK = {
    "list": "show me {}|show me the {}|list {}|list all {}|find {}|find me {}|give me the {}|"
    "what are the {}|which are the {}|{}|i want {}|i am looking for {}|search for {}|get {}|"
    "tell me the {}|can you show me {}|are there {}|all {}",
    "count": "how many {} are there|how many {}|number of {}|count the {}|what is the number of {}|"
    "tell me how many {} there are|count of {}",
    "mean": "what is the average {n} of {}|average {n} of {}|mean {n} for {}|"
    "{n} of {} on average|tell me the mean {n} of {}",
    "sum": "what is the total {n} of {}|total {n} of {}|summed {n} for {}|"
    "{n} of {} all together|add up the {n} of {}",
    "get": "what is the {n} of {}|{n} of {}|show me the {n} of {}|tell me the {n} for {}|"
    "find the {n} of {}|give {n} of {}",
}
_DROPPED = frozenset(["the", "a", "that", "are", "of", "me", "is", "which"])
_NEVER_MISSPELT = frozenset(["other", "without"])  # a slip may cost a word, not the meaning
_NUMBERS = {2: "2|two", 3: "3|three"}


@dataclass(frozen=True)
class Phrase:
    """Words on a noun; `kind` says how they go with it: a key of _AFTER, or "leads" the noun."""

    kind: str
    text: str


def _compare_value(c: Compare, d: Draws) -> list[Phrase]:
    prop, value = c.prop, d.words(c.words)
    noun, than = d.words(prop.nouns), d.words(prop.comparators[c.op])
    of = "" if prop.is_time else "of"
    ways = [
        Phrase("have", f"a {noun} {of} {than} {value}"),
        Phrase("have", f"{noun} {than} {value}"),
        Phrase("whose", f"{noun} is {than} {value}"),
        Phrase("have" if prop.is_counted else "are", f"{than} {value}"),
    ]
    if prop.verbs:
        ways.append(Phrase("verb", f"{d.words(prop.verbs)} {than} {value}"))
    if prop.more and c.op != "=":
        words = prop.more if c.op in (">", "<=") else prop.less
        no = "no" if c.op in (">=", "<=") else ""
        ways.append(Phrase("are", f"{no} {d.words(words)} than {value}"))
    return ways


def _compare_thing(c: Compare, d: Draws) -> list[Phrase]:
    prop, thing = c.prop, d.words(c.words)
    noun = d.words(prop.nouns)
    if c.op == "=":
        return [
            Phrase("have", f"the same {noun} as {thing}"),
            Phrase("whose", f"{noun} is that of {thing}"),
        ]
    than = d.words(prop.comparators[c.op])
    ways = [Phrase("whose", f"{noun} is {than} that of {thing}")]
    if prop.more:
        words = prop.more if c.op == ">" else prop.less
        ways += [Phrase("are", f"{d.words(words)} than {thing}")] * 2
    else:
        words = "higher|larger" if c.op == ">" else "lower|smaller"
        ways.append(Phrase("have", f"a {d.words(words)} {noun} than {thing}"))
    return ways


def _relate(c: Relate, d: Draws) -> list[Phrase]:
    noun, by = d.words(c.prop.nouns), d.words(c.prop.phrases)
    if c.things:
        things = noun_phrase(c.things, d)
        return [Phrase("are", by.format(things))] * 3 + [
            Phrase("whose", f"{noun} is one of the {things}")
        ]
    who = f" {d.words('or|or else')} ".join(d.words(words) for words in c.words)
    by = by.format(who)
    if c.op == "!=":
        return [
            Phrase("are not", by),
            Phrase("whose", f"{noun} is not {who}"),
            Phrase("have", f"a {noun} other than {who}"),
        ]
    ways = [Phrase("are", by), Phrase("are", by), Phrase("whose", f"{noun} is {who}")]
    if c.prop.leads and len(c.words) == 1:
        ways += [Phrase("leads", who)] * 2
    return [*ways, Phrase("have", f"{who} as {noun}")]


def _hold(c: Hold, d: Draws) -> list[Phrase]:
    words = d.words(c.prop.words)
    if not c.holds:
        return [Phrase({"have": "have no"}.get(c.prop.kind, f"{c.prop.kind} not"), words)]
    ways = [Phrase(c.prop.kind, words)]
    return [*ways, Phrase("leads", words)] if c.prop.leads else ways


def _many(c: Many, d: Draws) -> list[Phrase]:
    number, noun = d.words(_NUMBERS[c.number]), d.words(c.prop.nouns)
    return [Phrase("have", f"{d.words(AMOUNT[c.op])} {number} {noun}s")]


def _best(best: Best, d: Draws) -> list[Phrase]:
    prop, is_max = best.prop, best.order == "max"
    noun = d.words(prop.nouns)
    if not isinstance(prop, Number):
        return [Phrase("have", f"the {'most' if is_max else d.words('fewest|least')} {noun}s")]
    extreme: Words = "highest|largest|biggest" if is_max else "lowest|smallest"
    if prop.is_time:
        extreme = "latest|last" if is_max else "earliest|first"
    ways = [Phrase("have", f"the {d.words(extreme)} {noun}")]
    if prop.most:
        adjective = d.words(prop.most if is_max else prop.least)
        ways += [Phrase("leads", adjective)] * 2 + [Phrase("are", f"the {adjective}")]
    return ways


def _phrase(condition: Condition | Best, d: Draws) -> Phrase:
    if isinstance(condition, Compare):
        ways = (_compare_thing if condition.is_thing else _compare_value)(condition, d)
    elif isinstance(condition, Relate):
        ways = _relate(condition, d)
    elif isinstance(condition, Hold):
        ways = _hold(condition, d)
    else:
        ways = _many(condition, d) if isinstance(condition, Many) else _best(condition, d)
    return d.pick(ways)


def _join(noun: str, phrases: list[Phrase], d: Draws) -> str:
    before = [phrase.text for phrase in phrases if phrase.kind == "leads"]
    after = [d.words(_AFTER[p.kind]).format(p.text) for p in phrases if p.kind != "leads"]
    return " ".join([*before, noun, f" {d.words('and|and also|')} ".join(after)])


def _phrases(things: Things, d: Draws) -> list[Phrase]:
    plain = [_phrase(condition, d) for condition in d.shuffled(things.conditions)]
    if things.best is None:
        return plain
    best = _phrase(things.best, d)
    return [best, *plain] if best.kind == "leads" else [*plain, best]


def noun_phrase(things: Things, d: Draws) -> str:
    """The things as a noun with what is said of it."""
    return _join(d.words(things.kind.nouns), _phrases(things, d), d)


def _ask(question: Question, d: Draws) -> str:
    things = question.things
    if question.prop:
        noun = d.words(question.prop.nouns)
        if question.thing:
            return d.words(_ASK["get"]).format(
                d.words(things.kind.entities[question.thing]), n=noun
            )
        many = "s" if question.ask == "get" else ""
        return d.words(_ASK[question.ask]).format(noun_phrase(things, d), n=f"{noun}{many}")
    phrases = _phrases(things, d)
    noun = d.words(things.kind.nouns)
    if phrases and phrases[-1].kind in _PREDICATE and d.chance(0.35):
        which = "how many" if question.ask == "count" else d.words("which|what")
        says = d.words(_PREDICATE[phrases[-1].kind]).format(phrases[-1].text)
        return f"{which} {_join(noun, phrases[:-1], d)} {says}"
    return d.words(_ASK[question.ask]).format(_join(noun, phrases, d))


def _slip(word: str, d: Draws) -> str:
    """The word with two inner letters swapped or one left out."""
    at = 1 + int(d.pick(range(len(word) - 3)))
    if d.chance(0.5):
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def utter(question: Question, d: Draws) -> str:
    """One way to ask the question, in lower case with single blanks."""
    words = _ask(question, d).split()
    words = [w for i, w in enumerate(words) if not i or w not in _DROPPED or not d.chance(0.12)]
    if d.chance(0.04):
        long = [i for i, word in enumerate(words) if len(word) > 4 and word.isalpha()]
        long = [i for i in long if words[i] not in _NEVER_MISSPELT]
        if long:
            at = d.pick(long)
            words[at] = _slip(words[at], d)
    if d.chance(0.1):
        words = ["please", *words] if d.chance(0.5) else [*words, "please"]
    return " ".join([*words, "?"] if d.chance(0.1) else words)
