"""A table of tasks as people import it."""

ROWS = [
    "zoo\ttrain\tshow animals\t( list animal )",
    "zoo\ttrain\tbig animals\t( list ( big animal ) )",
    "zoo\ttest\tall animals\t( list animal )",
    "map\ttrain\twhere is a bar\t( query ( nwr ( keyval amenity bar ) ) )",
    "map\tvalid\ta bar\t( query ( nwr ( keyval amenity bar ) ) )",
    "map\ttest\tan unheard-of word\t( query ( nwr ( keyval name 'Bar (old)' ) ) )",
]


def text(rows: list[str]) -> bytes:
    return ("\n".join(rows) + "\n").encode()
