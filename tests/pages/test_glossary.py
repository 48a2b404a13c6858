"""One glossary: the words of the field lead to it where a page first says them."""

import re

import pytest

from pages.shared.ui.glossary import TERMS
from tests.pages.sessions import LINK, opened, texts, well
from tests.pages.views import CASES, NAMES, computed

OTHER = re.compile(rf"{LINK.pattern}|`[^`]*`|\*\*[^*]*\*\*")
SENTENCES = ("accuracy", "drilldown", "forgetting", "memories", "playground", "error_curves")


@pytest.mark.usefixtures("filled_home")
@pytest.mark.parametrize(("file", "start"), CASES, ids=NAMES)
def test_words_of_the_field_lead_to_the_glossary_at_their_first_use(file, start) -> None:
    page = computed(opened(file, **start))
    text = "\n".join(each.value for each in page.main.markdown)
    links = {match[2]: match for match in LINK.finditer(text)}
    assert len(links) == len(LINK.findall(text))  # each word once
    assert links or file.stem not in SENTENCES
    for name, link in links.items():
        before = OTHER.sub("", text[: link.start()])
        assert not re.search(rf"(?<![\w*])(?:{TERMS[name].pattern})(?!\w)", before), name


def test_every_word_has_a_meaning_and_the_one_asked_for_stands_first() -> None:
    page = well(opened("pages/glossary.py"))
    assert all(term.short in texts(page.markdown) for term in TERMS.values())
    page = well(opened("pages/glossary.py", term="upper-bound"))
    assert page.main.markdown[1].value.startswith("**upper bound**")
