"""The look: contrast of the palette in both themes, and text that stays text."""

import tomllib
from pathlib import Path

import pytest

from core.charts import template

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_stands_out_and_the_app_uses_the_same(theme):
    declared = tomllib.loads(CONFIG.read_text())["theme"][theme]
    assert tuple(declared["chartCategoricalColors"]) == template.PALETTE
    for colour in (*template.PALETTE, template.NEUTRAL):
        assert contrast(colour, declared["backgroundColor"]) >= 3, colour


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_controls_of_the_theme_are_readable(theme):
    declared = tomllib.loads(CONFIG.read_text())["theme"][theme]
    for ground in ("backgroundColor", "secondaryBackgroundColor"):
        assert contrast(declared["textColor"], declared[ground]) >= 7
        assert contrast(declared["primaryColor"], declared[ground]) >= 3.5
    assert contrast(declared["primaryColor"], "#ffffff") >= 4  # the text of a button


def test_colours_repeat_and_take_an_alpha():
    count = len(template.PALETTE)
    assert template.colour(0) == template.colour(count) == "rgba(0,114,178,1)"
    assert template.colour(1, 0.25) == "rgba(213,94,0,0.25)"
    assert template.symbols(count + 1)[-1] == template.symbols(1)[0]


def test_markup_in_a_name_is_shown_letter_for_letter():
    assert template.plain("<b>a & b</b>") == "&lt;b&gt;a &amp; b&lt;/b&gt;"
