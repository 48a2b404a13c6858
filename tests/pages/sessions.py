"""Pages as AppTest opens them: a fresh session at an address, and finding things on it."""

import json
import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.paths import PROJECT

MOVED = {"pages/errors.py": "pages/error_curves.py"}  # former addresses
SCRIPTS = [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py"))]
STORELESS = {"glossary"}  # pages that look at no run
FILES = [file for file in SCRIPTS if file.relative_to(PROJECT).as_posix() not in MOVED]
PATIENCE = 60  # seconds: a page may be the first to import torch


def opened(file: Path | str, **address: str) -> AppTest:
    """The page as a fresh session finds it at this address."""
    page = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=PATIENCE)
    if Path(file).name != "app.py":
        page.switch_page(str(PROJECT / file))
    for name, value in address.items():
        page.query_params[name.replace("__", ".")] = value
    return page.run()


def well(page: AppTest) -> AppTest:
    assert not page.exception, [error.value for error in page.exception]
    return page


LINK = re.compile(r"\[((?:\\.|[^\]\\])*)\]\(glossary\?term=([\w-]+) \"[^\"]*\"\)")  # word, term


def texts(elements) -> str:
    """What they say, words that lead to the glossary as words alone."""
    text = "\n".join(str(element.value) for element in elements)
    return LINK.sub(lambda link: link[1].replace("\\", ""), text)


def letters(elements) -> str:
    """The same as people see it: without what keeps text from being read as markup."""
    return texts(elements).replace(":small[]", "").replace("\\", "")


def widget(page: AppTest, kind: str, label: str):
    (match,) = [w for w in getattr(page, kind) if w.label == label]
    return match


def numbers(value) -> str:
    """What the address says of a parameter, whichever way it is held."""
    return value[0] if isinstance(value, list) else value


def clicked(page: AppTest, start: str) -> AppTest:
    (button,) = [b for b in page.button if b.label.startswith(start)]
    return well(button.click().run())


def specs(page) -> list[str]:
    return [chart.proto.spec for chart in page.get("plotly_chart")]


def figures(page: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]


def frames(page: AppTest):
    return [frame.value for frame in page.dataframe]


def key_of(elements, part: str) -> str:
    """The session key of the first of these figures or tables; it ends the element's id."""
    id = elements[0].proto.id
    return id[id.index(part) :]
