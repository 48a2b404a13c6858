"""The views that pages have, as addresses to begin at, for tests that go through all of them."""

import os

from streamlit.testing.v1 import AppTest

from tests.pages.sessions import FILES, numbers, well

SAMPLED = {"dataset": "toy", "task": "zoo", "memory_size": "3", "seeds": "0-1"}
MAPPED = {"dataset": "toy", "task": "port", "memory_size": "3"}
ROW = {"view": "rows", "task": "zoo"}
STARTS: dict[str, list[dict[str, str]]] = {  # where to begin; a page that isn't here: as it opens
    "accuracy": [{"run": "1,2"}],
    "clusters": [
        MAPPED | more
        for more in (
            {},
            {"view": "clusters"},
            {"view": "search"},
            {"colour": "kept", "find": "ship"},
            {"colour": "accuracy", "run": "2"},
            {"maps": "on", "samplers": "dlfs,lfs,random"},
        )
    ],
    "drilldown": [{"run": "1"}, {"run": "2", "task": "port", "row": "2", "after": "port"}],
    "experiments": [{}]
    + [{"view": "new", "start": start} for start in ("preset", "toml", "runs", "file")]
    + [{"view": "workers"}],
    "forgetting": [
        {"run": "2", "other": "1", "view": view}
        for view in ("glance", "actions", "heatmap", "memory", "drops", "runs")
    ],
    "memories": [SAMPLED | {"view": view} for view in ("compare", "actions", "search", "rows")]
    + [{"source": "runs", "run": "2", **more} for more in ({}, ROW, {"view": "outcome"})],
    "playground": [
        {"run": "1,2", "utterance": "show all ships"},
        {"source": "test", "task": "port"},
    ],
    "paper": [{"table": "1"}, {"table": "4"}],
    "results": [{"view": view} for view in ("table", "cells", "curves", "differences", "ranks")],
    "runs": [{"run": "1"}],
}
WHOLE = bool(os.environ.get("TOTAL_RECALL_WHOLE"))  # else a part, for CI
COMPUTES = ("Draw the map", "Choose the", "Parse", "Look into")  # buttons that compute what follows
CASES = [(file, start) for file in FILES for start in STARTS.get(file.stem, [{}])]
NAMES = [f"{file.stem}-{n}" for n, (file, _) in enumerate(CASES)]


def computed(page: AppTest) -> AppTest:
    """The page with what a click computes; not by Smatch, which takes processes of its own."""
    slow = any("smatch" in numbers(value) for value in page.query_params.values())
    for button in [] if slow else page.main.button:
        if button.label.startswith(COMPUTES):
            return well(button.click().run())
    return well(page)
