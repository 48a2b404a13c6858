"""What the demo's domains are described with. Alternative words are separated by `|`."""

from collections.abc import Mapping
from dataclasses import dataclass

Words = str  # alternatives, separated by |
Entities = Mapping[str, Words]  # as written in a logical form → words

AMOUNT = {
    ">": "more than|over|above|greater than",
    "<": "less than|under|below|fewer than",
    ">=": "at least|no less than|a minimum of|not under",
    "<=": "at most|no more than|up to|a maximum of",
    "=": "exactly|precisely|",
}
TIME = {
    ">": "after|later than|past",
    "<": "before|earlier than|prior to",
    ">=": "no earlier than|not before",
    "<=": "no later than|not after|until",
    "=": "exactly|just|",
}


@dataclass(frozen=True)
class Number:
    """A property with an order: an amount, or a point in time where `is_time`."""

    name: str
    nouns: Words
    values: Entities
    more: Words = ""  # comparative adjectives: "longer"
    less: Words = ""
    most: Words = ""  # superlative adjectives: "longest"
    least: Words = ""
    verbs: Words = ""  # "last", as in "songs that last over 3 minutes"
    is_counted: bool = False  # the value names what is counted: "books with over 400 pages"
    is_time: bool = False

    @property
    def comparators(self) -> Mapping[str, Words]:
        """Operator → words that compare with a value."""
        return TIME if self.is_time else AMOUNT


@dataclass(frozen=True)
class Link:
    """A relation to entities; to things of the type `target` where it names one."""

    name: str
    nouns: Words
    phrases: Words  # "by {}"
    entities: Entities
    target: str = ""
    leads: bool = False  # its entities can stand before the noun: "jazz songs"
    is_plural: bool = False  # a thing can have several: "songs with two artists"


@dataclass(frozen=True)
class Flag:
    """Something that holds or does not; `kind` is how the words follow the noun."""

    name: str
    kind: str  # "are": that are live; "have": with breakfast; "verb": that allow pets
    words: Words
    leads: bool = False  # can stand before the noun: "live songs"


Property = Number | Link | Flag


@dataclass(frozen=True)
class Type:
    """A type of thing: its symbol, its plural nouns, things of the type that have names."""

    symbol: str
    nouns: Words
    entities: Entities
    properties: tuple[Property, ...]


@dataclass(frozen=True)
class Domain:
    """A task: `types[0]` is what is mostly asked about; numbers of rows."""

    name: str
    train: int
    test: int
    types: tuple[Type, ...]

    def type_of(self, symbol: str) -> Type:
        """The type called `symbol`."""
        return next(kind for kind in self.types if kind.symbol == symbol)
