"""What stands beside the form: how long the runs will take, the same by command line, the start."""

from collections.abc import Sequence

import streamlit as st

from core import paths
from core.analysis.command_line import command_line
from core.analysis.durations import duration
from core.analysis.settings import method_name
from core.config import RunConfig
from core.data.base import DataError, load_tasks
from core.data.io.statistics import coverage_warning
from core.data.naming import dataset_name
from core.options import ConfigError
from core.runs.estimate import Estimate, estimate, measure
from core.runs.manager import manager
from core.runs.run import QUEUED, RUNNING, StoreError, default_name
from core.validation import default_sampler
from core.validation.presets import presets_in_words
from pages.shared.access.datasets import read_with_bar
from pages.shared.access.runs import store
from pages.shared.launch.form import Drawn
from pages.shared.launch.reading import draw_reading
from pages.shared.tray import add
from pages.shared.ui.address import follow, key_of, publish
from pages.shared.ui.seeds import doubled_seeds, read_seeds
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import toggle

_NOT_IN_WORK = {"seed": 0, "learning_rate": 0.0025, "dropout": 0.2, "word_dropout": 0.0}


def draw_launch(drawn: Drawn) -> None:
    """What is wrong; or what will be started, its time and the button that starts it."""
    with st.container(border=True, key="launch_card"):
        st.subheader("Start", anchor=False)
        what, time = st.container(), st.container()
        configs, wrong = _draw_seeds(drawn.config)
        if drawn.fields:
            fields = ", ".join(f"*{escape(name)}*" for name in drawn.fields)
            st.error(f"To be mended first: {fields}.", icon=":material/error:")
        if drawn.fields or wrong:
            st.button("Launch", type="primary", disabled=True, width="stretch")
            return
        with what:
            _describe(configs)
            draw_reading(configs[0])
        name = st.text_input(
            "Name",
            key=key_of("name"),
            placeholder=default_name(configs[0], len(configs)),
            max_chars=120,
            help="What the runs are called in lists. Empty: as shown.",
        )
        label = "Launch" if len(configs) == 1 else f"Launch {counted(len(configs), 'run')}"
        if st.button(label, type="primary", icon=":material/play_arrow:", width="stretch"):
            _launch(configs, name)
        with st.expander("The same by command line", icon=":material/terminal:"):
            st.code("\n".join(_lines(configs)), language=None, wrap_lines=True)
        with time:
            _show_time(configs)


def _draw_seeds(config: RunConfig | None) -> tuple[list[RunConfig], bool]:
    """A config for each seed that is asked for, and whether something is wrong with the seeds."""
    key = follow("seeds", "0")
    seeds = st.text_input(
        "Seeds",
        key=key,
        help="Of every random draw of a run. Several queue a run each: 0 1 2, or 0, 1, 2, or 0-4.",
    )
    publish("seeds", None if seeds == "0" else seeds)
    below = st.container()
    help = "Each run takes its seed as its order seed too, as the paper's ten runs do."
    vary = toggle("vary_order", "Another order of tasks for each seed", False, help)
    try:
        numbers, doubled = read_seeds(seeds), doubled_seeds(seeds)
    except ConfigError as error:
        below.markdown(f":red[:material/error: {escape(error)}]")
        return [], True
    if doubled:
        twice = ", ".join(map(str, doubled))
        below.caption(f"Written more than once, and run once: {twice}.")
    if config is None:
        return [], False
    orders = {seed: seed if vary else config.order_seed for seed in numbers}
    return [config.with_(seed=seed, order_seed=order) for seed, order in orders.items()], False


def _describe(configs: Sequence[RunConfig]) -> None:
    config = configs[0]
    what = f"**{escape(method_name(config))}** on **{escape(dataset_name(config))}**"
    seeds = ", ".join(str(each.seed) for each in configs[:8]) + ", …" * (len(configs) > 8)
    st.markdown(f"{counted(len(configs), 'run')} of {what}, seed{'s' * (len(configs) > 1)} {seeds}")
    equal = presets_in_words(config)
    st.caption(f"Preset: {escape(equal)}." if equal else "Equals no preset.")
    waiting = len(store().runs(statuses=(QUEUED, RUNNING)))
    if waiting:
        st.caption(f"{counted(waiting, 'run')} before it in the queue.")


def _lines(configs: Sequence[RunConfig]) -> list[str]:
    """What to type for these runs: one line where they differ in their seeds alone."""
    sampler = default_sampler(configs[0].method)
    same = {config.with_(seed=0) for config in configs}
    if len(configs) == 1 or len(same) > 1:
        return [command_line(config, sampler) for config in configs]
    (config,) = same
    return [f"{command_line(config, sampler)} --seeds {' '.join(str(c.seed) for c in configs)}"]


def _launch(configs: Sequence[RunConfig], name: str) -> None:
    """Queue the runs, put them into the tray and go to look at the first; says what is wrong where
    one can't be queued.
    """
    try:
        ids = []
        for config in configs:
            seed = f", seed {config.seed}" if len(configs) > 1 else ""
            ids.append(manager().submit(config, f"{name.strip()}{seed}" if name.strip() else ""))
    except (ConfigError, DataError, StoreError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    add(*ids)
    st.switch_page("pages/runs.py", query_params={"run": str(ids[0])})


def _show_time(configs: Sequence[RunConfig]) -> None:
    """The estimate with what it rests on; a button to measure where no earlier run compares."""
    key = f"measured/{_work_of(configs[0])}"
    try:
        read_with_bar(configs[0])
        time = _estimate(_work_of(configs[0]), *_data(), len(store().runs(limit=1)))
        time = time or st.session_state.get(key)
        if time is None:
            area = st.empty()
            with area.container():
                st.caption("How long it takes is not known: no earlier run here compares.")
                asked = st.button("Measure a few steps", icon=":material/timer:", width="stretch")
            if asked:
                area.empty()
                with st.spinner("Measuring …"):
                    time = st.session_state[key] = measure(configs[0])
                if time is None:
                    st.caption("It has too few steps to be measured.")
    except (ConfigError, DataError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    if time is not None:
        each = " each" if len(configs) > 1 else ""
        st.markdown(f"**About {_rough(time.seconds)}**{each}")
        st.caption(f"{_rough(time.low)} to {_rough(time.high)}, {escape(time.basis)}.")
    text, warning = _of_data(_work_of(configs[0]), str(paths.data_folder()))
    st.caption(text)
    if warning:
        st.warning(escape(warning), icon=":material/warning:")


def _rough(seconds: float) -> str:
    """A duration without more digits than are known."""
    step = 1 if seconds < 30 else 10 if seconds < 600 else 60
    return duration(max(step, round(seconds / step) * step))


def _work_of(config: RunConfig) -> str:
    """The config without what does not bear on its work."""
    return config.with_(**_NOT_IN_WORK).to_json()


def _data() -> tuple[str, str]:
    return str(paths.data_folder()), paths.database_url()


@st.cache_data(show_spinner="Estimating the time …", ttl=120, max_entries=64)
def _estimate(config: str, data_folder: str, database: str, newest: int) -> Estimate | None:
    return estimate(store(), RunConfig.from_json(config))


@st.cache_data(show_spinner="Counting the work …", ttl=120, max_entries=64)
def _of_data(config: str, data_folder: str) -> tuple[str, str]:
    """What the run will record, and what is to be known of its data before."""
    from core.training.progress import recording_text

    asked = RunConfig.from_json(config)
    return recording_text(asked), coverage_warning(load_tasks(asked))
