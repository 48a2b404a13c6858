"""The demo's six domains, a table of our own.

Persons, cities, topics, years, prices, lengths, ratings and clock times come up in several
domains; the other predicates and entities in one.
"""

from core.data.demo.schema import Domain, Flag, Link, Type
from core.data.demo.shared import (
    CITIES,
    PERSONS,
    TOPICS,
    city,
    clock,
    count,
    entities,
    length,
    price,
    rating,
    year,
)

_ALBUMS = entities("album", "horizon, red moon")
_SONG = Type(
    "song",
    "songs|tracks|tunes",
    entities("song", "aurora, blue train, slow rain"),
    (
        length("minute", "minutes|min", "last|run for|play for", 3, 5),
        year("year|release year", "came out|appeared"),
        count("plays", "play count|number of plays", "play", "plays|listens", 500, 900),
        Link("artist", "artist|singer|performer", "by {}|sung by {}|performed by {}", PERSONS,
             is_plural=True),
        Link("genre", "genre|style", "in the genre {}|of the {} genre",
             entities("genre", "jazz, folk, techno"), leads=True, is_plural=True),
        Link("album", "album|record", "on {}|taken from {}|off {}", _ALBUMS, target="album"),
        Flag("live", "are", "live|recorded live", leads=True),
    ),
)  # fmt: skip
_ALBUM = Type(
    "album",
    "albums|records",
    _ALBUMS,
    (
        price(10, 20),
        Link("label", "label", "from {}|put out by {}|issued by {}",
             entities("label", "northside, petal")),
    ),
)  # fmt: skip

_PUBLISHERS = entities("publisher", "fern press, old mill")
_BOOK = Type(
    "book",
    "books|titles|volumes",
    entities("book", "glass tower, winter light"),
    (
        count("pages", "page count|number of pages", "page", "pages", 200, 400),
        year("year|publication year", "came out|were published"),
        price(10, 30),
        Link("author", "author|writer", "by {}|written by {}", PERSONS, is_plural=True),
        Link("topic", "topic|subject", "about {}|on {}|dealing with {}", TOPICS, is_plural=True),
        Link("publisher", "publisher", "from {}|brought out by {}|sold by {}", _PUBLISHERS,
             target="publisher"),
        Flag("lent", "are", "on loan|checked out|borrowed"),
    ),
)  # fmt: skip
_PUBLISHER = Type(
    "publisher",
    "publishers|publishing houses",
    _PUBLISHERS,
    (count("staff", "staff|head count", "person", "people|employees", 50, 80), city()),
)

_THEATRES = entities("theatre", "roxy, lumen")
_FILM = Type(
    "film",
    "films|movies|pictures",
    entities("film", "the gate, long summer"),
    (
        length("minute", "minutes|min", "last|run for|take", 90, 120),
        year("year|release year", "came out|were made"),
        rating(3, 4),
        Link("director", "director|film maker", "by {}|directed by {}|made by {}", PERSONS,
             is_plural=True),
        Link("genre", "genre|kind", "in the genre {}|of the {} kind",
             entities("genre", "comedy, western, thriller"), leads=True, is_plural=True),
        Link("theatre", "theatre|cinema", "at {}|shown at {}|playing at {}", _THEATRES,
             target="theatre"),
        Flag("subtitled", "have", "subtitles|sub titles"),
    ),
)  # fmt: skip
_THEATRE = Type(
    "theatre",
    "theatres|cinemas|movie houses",
    _THEATRES,
    (count("seats", "seating|number of seats", "seat", "seats|places", 100, 300), city()),
)

_AIRLINES = entities("airline", "skyway, polar air")
_FLIGHT = Type(
    "flight",
    "flights|connections",
    entities("flight", "sk 12, pa 70"),
    (
        price(100, 250),
        length("hour", "hours|h", "last|take", 2, 6),
        clock("departure", "departure|departure time", "leave|depart|take off"),
        Link("origin", "origin", "from {}|leaving {}|out of {}", CITIES),
        Link("destination", "destination", "to {}|bound for {}|going to {}", CITIES,
             is_plural=True),
        Link("airline", "airline|carrier", "operated by {}|run by {}|with {}", _AIRLINES,
             target="airline"),
        Flag("direct", "are", "direct|non-stop", leads=True),
    ),
)  # fmt: skip
_AIRLINE = Type(
    "airline",
    "airlines|carriers",
    _AIRLINES,
    (
        count("planes", "fleet|number of planes", "plane", "planes|aircraft", 40, 90),
        Link("country", "country", "of {}|registered in {}", entities("country", "norway, peru")),
    ),
)

_CHAINS = entities("chain", "harbour inns, maple")
_HOTEL = Type(
    "hotel",
    "hotels|lodgings|places to stay",
    entities("hotel", "the anchor, villa rosa"),
    (
        price(80, 150),
        rating(3, 4),
        count("rooms", "room count|number of rooms", "room", "rooms", 20, 60),
        city("in {}|located in {}|around {}"),
        Link("style", "style|character", "in {} style|of the {} style",
             entities("style", "boutique, family, historic"), leads=True, is_plural=True),
        Link("chain", "chain|brand", "of {}|belonging to {}|owned by {}", _CHAINS, target="chain"),
        Flag("breakfast", "have", "breakfast|breakfast included"),
        Flag("pets", "verb", "allow pets|take pets|accept animals"),
    ),
)  # fmt: skip
_CHAIN = Type(
    "chain",
    "chains|brands|hotel groups",
    _CHAINS,
    (
        year("year|founding year", "were founded|started"),
        Link("manager", "manager|head", "headed by {}|managed by {}", PERSONS),
    ),
)

_VENUES = entities("venue", "town hall, the barn")
_EVENT = Type(
    "event",
    "events|gatherings|sessions",
    entities("event", "open night, spring fair"),
    (
        clock("start", "start|starting time", "start|begin"),
        length("hour", "hours|h", "last|go on for", 1, 3),
        price(15, 40),
        Link("speaker", "speaker|host", "with {}|given by {}|hosted by {}", PERSONS,
             is_plural=True),
        Link("topic", "topic|theme", "about {}|on {}|concerning {}", TOPICS, is_plural=True),
        Link("venue", "venue|place", "at {}|held at {}|taking place at {}", _VENUES,
             target="venue"),
        Flag("online", "are", "online|streamed|virtual", leads=True),
    ),
)  # fmt: skip
_VENUE = Type(
    "venue",
    "venues|halls",
    _VENUES,
    (count("seats", "seating|number of seats", "seat", "seats|places", 100, 300), city()),
)

DOMAINS = (
    Domain("cinema", 330, 70, (_FILM, _THEATRE)),
    Domain("events", 300, 64, (_EVENT, _VENUE)),
    Domain("flights", 350, 76, (_FLIGHT, _AIRLINE)),
    Domain("hotels", 380, 80, (_HOTEL, _CHAIN)),
    Domain("library", 280, 60, (_BOOK, _PUBLISHER)),
    Domain("music", 320, 68, (_SONG, _ALBUM)),
)
