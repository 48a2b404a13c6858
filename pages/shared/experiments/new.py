"""A new experiment: from a preset, a form, a TOML text, of runs; finished cells."""

import pandas as pd
import streamlit as st

from core import paths
from core.analysis.settings import in_words, show_setting
from core.data.base import DataError
from core.experiments import catalog, making, toml
from core.experiments.checks import check
from core.experiments.experiment import Experiment
from core.experiments.presets import presets
from core.experiments.settings import with_settings
from core.options import ConfigError
from core.runs.run import StoreError
from pages.shared.access.runs import SHOWN, store
from pages.shared.experiments.arms import form_arms, pick_arms
from pages.shared.experiments.importing import draw_import
from pages.shared.experiments.pairs import draw_pairs
from pages.shared.experiments.picking import pick_labels
from pages.shared.launch.form import draw_config
from pages.shared.tray import slots, titles
from pages.shared.ui.address import begin_anew, follow, publish
from pages.shared.ui.tables import draw_table
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick, several, switch

WAYS = {
    "preset": "From a preset",
    "form": "From a form",
    "toml": "From TOML",
    "runs": "Of runs",
    "file": "Finished cells",
}
EXAMPLE = """name = "two methods"
pairs = 5                      # or [[1, 1], [2, 2]]: order seed and seed

[base]
dataset = "demo"
epochs = 5

[[arms]]
label = "EMR"
method = "emr"

[[arms]]
label = "Total Recall + EWC"
method = "total_recall"
"method.penalty" = "ewc"
"""


def draw_new() -> None:
    """The form, what it says as an experiment, and the button that makes it."""
    way = switch("start", "Begin", WAYS)
    begin_anew("start", way, "pairs")
    if way == "file":
        draw_import()
        return
    make = {"preset": _preset, "form": _form, "toml": _toml, "runs": _runs}[way]
    try:
        experiment = make()
    except (ConfigError, StoreError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    if experiment is not None:
        _draw_draft(experiment)


def _preset() -> Experiment:
    entries = {name: f"{entry.label} ({name})" for name, entry in presets.items()}
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        chosen = pick("preset", "Preset", entries)
    begin_anew("preset", chosen, "only", "pairs")
    experiment: Experiment = presets[chosen].value()
    st.caption(escape(presets[chosen].summary))
    with right:
        name = _name(experiment.name)
    shown = pick_labels("only", "Arms", [arm.label for arm in experiment.arms])
    pairs = draw_pairs(len(experiment.pairs))
    key = follow("set", "")
    text = st.text_input("Other settings of the base, as TOML", key=key, placeholder="epochs = 5")
    publish("set", text or None)
    base = with_settings(experiment.base, toml.read_settings(text, "Other settings"))
    arms = tuple(arm for arm in experiment.arms if arm.label in shown)
    return Experiment(name, base, arms, pairs)


def _form() -> Experiment | None:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with right:
        name = _name("my experiment")
    with left:
        pairs = draw_pairs(10)
    st.subheader("Arms")
    arms = pick_arms()
    area = st.container()
    st.subheader("Base")
    st.caption(
        "What all arms share, unless one of them says otherwise. Orders and seeds are the pairs'."
    )
    drawn = draw_config(of_pairs=True)
    for error in drawn.errors:
        st.error(escape(error), icon=":material/error:")
    if drawn.config is None:
        return None
    config = drawn.config
    with area:
        arms = [*arms, *form_arms(config)]
    if not arms:
        st.info("Choose methods above: each is an arm.", icon=":material/arrow_upward:")
        return None
    return Experiment(name, config.with_(seed=0), tuple(arms), pairs)


def _toml() -> Experiment | None:
    key = follow("of", None)
    given = st.session_state[key]
    names = catalog.names(store())
    publish("of", given if given in names else None)
    text = toml.write(catalog.load(store(), given).experiment) if given in names else EXAMPLE
    if given in names:
        text = text.replace(f'name = "{given}"', f'name = "{free_name(given)}"', 1)
    words = st.text_area(
        "Experiment, as TOML",
        text,
        height=420,
        key=f"toml/{given if given in names else ''}",
        help="Ctrl+Enter reads it. `python -m core experiment export` writes such a file.",
    )
    return toml.read(words) if words.strip() else None


def _runs() -> Experiment | None:
    known = titles(store().runs(limit=SHOWN))
    first = [id for id in map(str, slots().ids) if id in known]
    chosen = several("of_runs", "Runs", known, first, placeholder="Choose one run or several")
    st.caption(
        "Arms are what the runs differ in but for order and seed; a cell that no run has is "
        "carried out."
    )
    if not chosen:
        st.info("Choose the runs above.", icon=":material/arrow_upward:")
        return None
    return making.of_runs(store(), list(map(int, chosen)), _name("of runs"))


def _name(default: str) -> str:
    default = free_name(default)
    name = st.text_input("Name", key=follow("name", ""), max_chars=120, placeholder=default)
    publish("name", name or None)
    return name.strip() or default


def free_name(name: str) -> str:
    """The name, or with the first number behind it that is not taken."""
    taken = set(catalog.names(store()))
    number = 2
    free = name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free


def _draw_draft(experiment: Experiment) -> None:
    """What is going to be made, what is wrong with it, the button."""
    with st.container(border=True):
        st.markdown(
            f"**{escape(experiment.name)}**: {experiment.shape}, "
            f"**{counted(experiment.size, 'cell')}**"
        )
        if experiment.arms:
            draw_table(arm_table(experiment), {}, key="draft")
        wrong = _wrong(toml.write(experiment), str(paths.data_folder()))
        if wrong:
            st.error(escape(wrong), icon=":material/error:")
        off = bool(wrong)
        if st.button("Make it", type="primary", icon=":material/add:", disabled=off):
            _make(experiment)
        st.caption("Nothing is carried out yet: time and disk are said first.")


def arm_table(experiment: Experiment) -> pd.DataFrame:
    """Arms and the settings in which they differ from the base, in words."""
    rows = [
        {
            "Arm": arm.label,
            "Settings": ", ".join(
                f"{in_words(n)} {show_setting(n, v)}" for n, v in arm.settings.items()
            )
            or "as the base",
        }
        for arm in experiment.arms
    ]
    return pd.DataFrame(rows)


@st.cache_data(ttl=20, max_entries=32, show_spinner="Checking …")
def _wrong(text: str, data_folder: str) -> str:
    """What can't be carried out, in a sentence; empty where nothing is wrong."""
    try:
        check(toml.read(text, "The form"))
    except (ConfigError, DataError) as error:
        return str(error)
    return ""


def _make(experiment: Experiment) -> None:
    try:
        catalog.create(store(), experiment)
    except (StoreError, ConfigError, DataError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    st.switch_page("pages/experiments.py", query_params={"experiment": experiment.name})
