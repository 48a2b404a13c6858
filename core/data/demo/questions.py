"""Questions of the demo: what is meant, drawn at random, and the logical form that says it."""

from dataclasses import dataclass
from typing import Union

from core.data.demo.draws import Draws
from core.data.demo.schema import Domain, Flag, Link, Number, Type, Words


@dataclass(frozen=True)
class Compare:
    """A number against a value, or against the same number of a thing with a name."""

    prop: Number
    op: str  # >, <, >=, <= or =
    value: str  # of the logical form
    words: Words
    is_thing: bool


@dataclass(frozen=True)
class Relate:
    """A relation to an entity, to one of two, or to things described in turn."""

    prop: Link
    op: str  # = or !=
    value: str = ""
    words: tuple[Words, ...] = ()
    things: Union["Things", None] = None


@dataclass(frozen=True)
class Hold:
    """A flag that holds, or does not."""

    prop: Flag
    holds: bool


@dataclass(frozen=True)
class Many:
    """How many entities a relation has."""

    prop: Link
    op: str
    number: int


Condition = Compare | Relate | Hold | Many


@dataclass(frozen=True)
class Best:
    """The extreme of a number, or of how many entities a relation has."""

    prop: Number | Link
    order: str  # max or min


@dataclass(frozen=True)
class Things:
    """Things of a type that meet all conditions, then the extreme ones among them."""

    kind: Type
    conditions: tuple[Condition, ...]
    best: Best | None = None


@dataclass(frozen=True)
class Question:
    """What is asked of the things, or of one thing with a name."""

    ask: str  # list, count, mean, sum or get
    things: Things
    prop: Number | Link | None = None  # of mean, sum and get
    thing: str = ""  # of get: its symbol


def _write_things(things: Things) -> str:
    text = f"( all en.{things.kind.symbol} )"
    for c in things.conditions:
        name = f"( property {c.prop.name} )"
        if isinstance(c, Compare):
            value = f"( get {c.value} {name} )" if c.is_thing else c.value
            text = f"( filter {text} ( measure {name} ) ( op {c.op} ) ( amount {value} ) )"
        elif isinstance(c, Relate):
            value = _write_things(c.things) if c.things else c.value
            text = f"( filter {text} {name} ( op {c.op} ) {value} )"
        elif isinstance(c, Hold):
            text = f"( {'filter' if c.holds else 'exclude'} {text} {name} )"
        else:
            text = f"( count_filter {text} {name} ( op {c.op} ) ( value {c.number} ) )"
    best = things.best
    if best is None:
        return text
    name = f"( property {best.prop.name} )"
    if isinstance(best.prop, Number):
        return f"( superlative {text} ( order {best.order} ) ( measure {name} ) )"
    return f"( count_superlative {text} ( order {best.order} ) {name} )"


def write(question: Question) -> str:
    """The logical form, an s-expression."""
    things = question.thing or _write_things(question.things)
    if question.ask == "list":
        return f"( answer {things} )"
    if question.ask == "count":
        return f"( answer ( count {things} ) )"
    name = f"( property {question.prop.name} )" if question.prop else ""
    if question.ask == "get":
        return f"( answer ( get {things} {name} ) )"
    return f"( answer ( aggregate ( fold {question.ask} ) {things} ( measure {name} ) ) )"


def _draw_condition(domain: Domain, kind: Type, prop: Number | Link | Flag, d: Draws) -> Condition:
    if isinstance(prop, Flag):
        return Hold(prop, d.chance(0.6))
    if isinstance(prop, Number):
        if d.chance(0.2):
            symbol = d.pick(list(kind.entities))
            return Compare(prop, d.words(">|<|="), symbol, kind.entities[symbol], True)
        value = d.pick(list(prop.values))
        return Compare(prop, d.words(">|<|>=|<=|="), value, prop.values[value], False)
    if prop.is_plural and d.chance(0.2):
        return Many(prop, d.words(">|<|>=|<=|="), d.pick((2, 3)))
    if prop.target and d.chance(0.5):
        return Relate(prop, "=", things=_draw_things(domain, domain.type_of(prop.target), 1, d))
    symbols = d.shuffled(list(prop.entities))
    if d.chance(0.15):
        first, second = sorted(symbols[:2])
        words = (prop.entities[first], prop.entities[second])
        return Relate(prop, "=", f"( either {first} {second} )", words)
    op = "!=" if d.chance(0.2) else "="
    return Relate(prop, op, symbols[0], (prop.entities[symbols[0]],))


def _draw_things(domain: Domain, kind: Type, count: int, d: Draws) -> Things:
    chosen = d.shuffled(range(len(kind.properties)))[:count]
    props = [kind.properties[i] for i in sorted(chosen)]  # forms keep the table's order
    return Things(kind, tuple(_draw_condition(domain, kind, prop, d) for prop in props))


def draw(domain: Domain, d: Draws) -> Question:
    """A question on a domain."""
    kind = domain.types[0] if d.chance(0.85) else domain.types[1]
    ask = d.pick(("list",) * 12 + ("count",) * 3 + ("get",) * 3 + ("mean", "sum"))
    things = _draw_things(domain, kind, d.pick((0, 1, 1, 1, 2, 2)), d)
    numbers = [prop for prop in kind.properties if isinstance(prop, Number)]
    plurals = [prop for prop in kind.properties if isinstance(prop, Link) and prop.is_plural]
    if ask in ("mean", "sum"):
        measured = [prop for prop in numbers if not prop.is_time]
        return Question(ask, things, d.pick(measured)) if measured else draw(domain, d)
    if ask == "get":
        prop = d.pick([prop for prop in kind.properties if not isinstance(prop, Flag)])
        if d.chance(0.5):
            return Question(ask, Things(kind, ()), prop, d.pick(list(kind.entities)))
        return Question(ask, things, prop)
    if ask == "list" and (d.chance(0.25) or not things.conditions):
        ranked: list[Number | Link] = [*numbers, *plurals]
        best = Best(d.pick(ranked), d.words("max|min"))
        return Question(ask, Things(kind, things.conditions[:1], best))
    return Question(ask, things)
