"""Times as people write them."""


def duration(seconds: float | None) -> str:
    """`1 h 05 min`, `3 min 20 s`, `12 s`; a dash where it is not known."""
    if seconds is None:
        return "–"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
