"""What several of the demo's domains share: entities, values, and properties with their words."""

from core.data.demo.schema import Entities, Link, Number

PERSONS = {
    "en.person.mira": "mira|mira lund",
    "en.person.tomas": "tomas|tomas reyes",
    "en.person.aiko": "aiko|aiko mori",
    "en.person.ruben": "ruben|ruben adler",
}
CITIES = {
    "en.city.lisbon": "lisbon",
    "en.city.oslo": "oslo",
    "en.city.kyoto": "kyoto",
    "en.city.quito": "quito",
}
TOPICS = {
    "en.topic.history": "history",
    "en.topic.physics": "physics",
    "en.topic.poetry": "poetry|verse",
}
_SPELLED = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten", 20: "twenty"}


def entities(kind: str, names: str) -> Entities:
    """`en.kind.some_name` → some name, for names separated by commas."""
    return {f"en.{kind}.{name.replace(' ', '_')}": name for name in names.split(", ")}


def amounts(unit: str, words: str, *values: int) -> Entities:
    """`( value 3 minute )` → 3 minutes, three minutes."""
    wordings = {}
    for value in values:
        ways = [str(value), *([_SPELLED[value]] if value in _SPELLED else [])]
        units = words.split("|")
        wordings[f"( value {value} {unit} )"] = "|".join(f"{w} {u}" for w in ways for u in units)
    return wordings


def years(*values: int) -> Entities:
    return {f"( date {value} )": f"{value}|the year {value}" for value in values}


_CLOCK = {
    "( time 9 0 )": "9 am|nine in the morning|9 o'clock",
    "( time 14 0 )": "2 pm|two in the afternoon",
    "( time 18 0 )": "6 pm|six in the evening",
}


def price(*values: int) -> Number:
    return Number(
        "price",
        "price|cost",
        amounts("euro", "euros|eur", *values),
        more="more expensive|pricier|dearer",
        less="cheaper|less expensive",
        most="most expensive|priciest|dearest",
        least="cheapest|least expensive",
        verbs="cost|sell for",
    )


def length(unit: str, words: str, verbs: str, *values: int) -> Number:
    return Number(
        "length",
        "length|duration",
        amounts(unit, words, *values),
        more="longer|lengthier",
        less="shorter|briefer",
        most="longest|lengthiest",
        least="shortest|briefest",
        verbs=verbs,
    )


def rating(*values: int) -> Number:
    return Number(
        "rating",
        "rating|score",
        amounts("star", "stars", *values),
        more="better rated|higher rated",
        less="worse rated|lower rated",
        most="best rated|highest rated|top rated",
        least="worst rated|lowest rated",
    )


def year(nouns: str, verbs: str) -> Number:
    return Number(
        "year",
        nouns,
        years(1999, 2008, 2015),
        more="newer|more recent",
        less="older",
        most="newest|latest|most recent",
        least="oldest|earliest",
        verbs=verbs,
        is_time=True,
    )


def clock(name: str, nouns: str, verbs: str) -> Number:
    return Number(
        name,
        nouns,
        _CLOCK,
        more="later",
        less="earlier",
        most="latest",
        least="earliest",
        verbs=verbs,
        is_time=True,
    )


def count(name: str, nouns: str, unit: str, words: str, *values: int) -> Number:
    return Number(name, nouns, amounts(unit, words, *values), is_counted=True)


def city(phrases: str = "in {}|located in {}|based in {}") -> Link:
    return Link("city", "city|town", phrases, CITIES)
