"""The look: contrast of the palette in both themes, and text that stays text."""

import tomllib
from pathlib import Path

import pytest
from plotly.colors import sample_colorscale, unlabel_rgb

from core.charts import cells, experiment_matrix, template
from pages.shared.ui import style

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(left: str, right: str) -> float:
    high, low = sorted((luminance(left), luminance(right)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_stands_out_and_the_app_uses_the_same(theme):
    declared = tomllib.loads(CONFIG.read_text())["theme"][theme]
    assert tuple(declared["chartCategoricalColors"]) == template.PALETTE
    for colour in (*template.PALETTE, template.NEUTRAL):
        assert contrast(colour, declared["backgroundColor"]) >= 3, colour


FADED = 0.6  # Streamlit draws captions, placeholders and headings of tables so much fainter
WHITE = "#ffffff"


def mixed(colour: str, ground: str, share: float) -> str:
    """The colour at this share over the ground."""
    pairs = [(int(c[at : at + 2], 16) for c in (colour, ground)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_of_the_theme_has_a_contrast_of_four_and_a_half(theme):
    declared = tomllib.loads(CONFIG.read_text())["theme"][theme]
    side_bar = declared["sidebar"]
    grounds = {
        ground
        for part in (declared, side_bar)
        for name, ground in part.items()
        if name.endswith("BackgroundColor") or name == "backgroundColor"
    }
    assert len(grounds) >= 3
    text = declared["textColor"]
    for ground in grounds:
        assert contrast(text, ground) >= 7
        assert contrast(mixed(text, ground, FADED), ground) >= 4.5, ground
        assert contrast(mixed(text, ground, style.SHARE / 100), ground) >= 4.5  # in figures
        assert contrast(declared["primaryColor"], ground) >= 3  # frames of controls
    assert contrast(declared["linkColor"], declared["backgroundColor"]) >= 4.5
    assert contrast(declared["primaryColor"], WHITE) >= 4.5  # the text of a button


def test_text_of_saved_figures_stands_out_on_white():
    assert contrast(template.FAINT, WHITE) >= 4.5


@pytest.mark.parametrize("scale", [cells.SEQUENTIAL, cells.DIVERGING])
def test_what_is_written_on_cells_stands_out_on_every_colour_of_the_scale(scale):
    shares = [at / 200 for at in range(201)]
    drawn = sample_colorscale([list(each) for each in scale], shares)
    for ink, cell in zip(cells.ink(shares, scale), drawn, strict=True):
        ground = "#" + "".join(f"{round(part):02x}" for part in unlabel_rgb(cell))
        assert contrast(ink, ground) >= 4.5, (ink, ground)


@pytest.mark.parametrize("name", experiment_matrix.STATUS_COLOURS)
def test_the_sign_of_an_unfinished_cell_stands_out(name):
    assert contrast(WHITE, experiment_matrix.STATUS_COLOURS[name]) >= 4.5


def test_colours_repeat_and_take_an_alpha():
    count = len(template.PALETTE)
    assert template.colour(0) == template.colour(count) == "rgba(0,114,178,1)"
    assert template.colour(1, 0.25) == "rgba(213,94,0,0.25)"


def test_markup_in_a_name_is_shown_letter_for_letter():
    assert template.plain("<b>a & b</b>") == "&lt;b&gt;a &amp; b&lt;/b&gt;"
