"""Which data set a run learns, and its tasks in order: a list to move up and down."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from core.config import RunConfig
from core.data.base import DataError, DataMissing, load_tasks
from core.data.upload import uploads
from core.options import ConfigError, specs
from core.registry import DatasetEntry, datasets
from pages.shared.access.datasets import task_rows
from pages.shared.ui.address import follow, key_of, publish
from pages.shared.ui.options import Form, explain, read, write
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick

SPECS = {spec.name: spec for spec in specs(RunConfig)}
LISTED = 24  # tasks that are listed one by one; more are chosen in a field
FEWEST = 2  # one after the other takes two
Choose = Callable[..., Any]  # form._choose


def draw_tasks(form: Form, choose: Choose, *, of_pairs: bool = False) -> None:
    """The data set with its options, and its tasks; `of_pairs`: pairs have the order seeds."""
    st.subheader("Tasks", anchor=False)
    left, right = st.columns([1, 2])
    with left:
        entry: DatasetEntry = choose(form, "dataset", datasets)
        if entry.name == "upload":
            _choose_upload(form)
        else:
            form.draw(specs(entry.options), "dataset.", columns=1)
        if not of_pairs:
            form.draw([SPECS["order_seed"]], columns=1)
    with right:
        _order(form)


def _choose_upload(form: Form) -> None:
    """Which imported file: its digest is the option, its name is what people see."""
    spec = next(spec for spec in specs(datasets["upload"].options) if spec.name == "file")
    kept = {upload.digest: upload for upload in uploads() if not upload.fault}
    if not kept:
        st.info("No file has been imported yet.", icon=":material/upload_file:")
        st.page_link("app.py", label="Import one on the home page", icon=":material/home:")
        return
    labels = {digest: upload.label for digest, upload in kept.items()}
    chosen = pick("dataset.file", "File", labels)
    publish("dataset.file", chosen)  # the first as well: another import may become the first
    form.add(spec, "dataset.file", chosen, "File")
    st.caption(escape(kept[chosen].summary))


def _order(form: Form) -> None:
    """Which tasks, in which order; all of them in the data set's order say nothing."""
    spec = SPECS["task_order"]
    dataset = form.values["dataset"]
    config = RunConfig(dataset=dataset, dataset_options=form.below("dataset."))
    try:
        rows = {name: train for name, (train, _) in task_rows(config).items()}
    except DataMissing:
        form.field("task_order", "Tasks")
        form.fail(
            "task_order", f"The data of {datasets[dataset].label} are not on this machine yet."
        )
        st.page_link("app.py", label="Get them on the home page", icon=":material/home:")
        return
    except (DataError, ConfigError) as error:
        form.field("task_order", "Tasks")
        form.fail("task_order", str(error))
        return
    key = follow("task_order", [], lambda text: list(read(spec, text)))
    unknown = [name for name in st.session_state[key] if name not in rows]
    if unknown and "task_order" in st.query_params:
        st.caption(f"No tasks of this data set, and left out: {escape(', '.join(unknown))}.")
    asked = [name for name in dict.fromkeys(st.session_state[key]) if name in rows]
    chosen = asked or list(rows)
    st.session_state[key] = chosen
    if len(rows) > LISTED:
        chosen = _in_a_field(key, rows, asked)
    elif form.values.get("order_seed"):
        _shuffled(config, chosen, rows, form.values["order_seed"])
    else:
        _listed(key, chosen, rows)
    said = () if chosen == list(rows) else tuple(chosen)
    publish("task_order", write(said) if said else None)
    form.add(spec, "task_order", said, "Tasks")


def _in_a_field(key: str, rows: dict[str, int], asked: Sequence[str]) -> list[str]:
    """Many tasks: in the order in which they are picked; none picked means all."""
    field = f"{key}/field"
    st.session_state[field] = [] if list(asked) == list(rows) else list(asked)
    chosen = st.multiselect(
        "Tasks, in the order of learning",
        list(rows),
        format_func=lambda name: f"{name} ({counted(rows[name], 'row')})",
        key=field,
        placeholder=f"All {len(rows)}, in the data set's order",
        help=explain(SPECS["task_order"]),
    )
    st.session_state[key] = list(chosen)
    return list(chosen) or list(rows)


def _listed(key: str, chosen: list[str], rows: dict[str, int]) -> None:
    """A line for each task: whether it is learned, its place, buttons that move it."""
    st.markdown("Learned in this order", help=explain(SPECS["task_order"]))
    left_out = [name for name in rows if name not in chosen]
    for at, name in enumerate([*chosen, *left_out]):
        learned = name in chosen
        box = f"{key}/in/{name}"
        st.session_state[box] = learned
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            number = f"{at + 1} · " if learned else ""
            st.checkbox(
                f"{number}{escape(name)} :gray[{counted(rows[name], 'row')}]",
                key=box,
                disabled=learned and len(chosen) <= FEWEST,
                on_change=_switch,
                args=(key, name),
                width="stretch",
            )
            for step, way in ((-1, "up"), (1, "down")):
                st.button(
                    "",
                    icon=f":material/arrow_{way}ward:",
                    type="tertiary",
                    key=f"{key}/{way}/{name}",
                    help=f"Move {escape(name)} {way}",
                    disabled=not learned or not 0 <= at + step < len(chosen),
                    on_click=_move,
                    args=(key, name, step),
                )
    if chosen != list(rows):
        st.button(
            "All, in the data set's order",
            icon=":material/restart_alt:",
            type="tertiary",
            on_click=_set,
            args=(key, list(rows)),
        )


def _shuffled(config: RunConfig, chosen: list[str], rows: dict[str, int], seed: int) -> None:
    """The order that the seed makes of the list, and a button that makes it the list."""
    for name in ("permutation", "evaluation"):
        key = follow(name, SPECS[name].default)
        if st.session_state[key] in (SPECS[name].choices or ()):
            config = config.with_(**{name: st.session_state[key]})
    tasks = load_tasks(config.with_(task_order=tuple(chosen), order_seed=seed))
    names = [task.name for task in tasks]
    st.markdown(f"Learned in this order, shuffled by order seed {seed}")
    lines = [
        f"{at}. {escape(name)} :gray[{counted(rows[name], 'row')}]"
        for at, name in enumerate(names, start=1)
    ]
    st.markdown("\n".join(lines))
    st.button(
        "Make it the list, to move tasks",
        icon=":material/low_priority:",
        type="tertiary",
        on_click=_keep,
        args=(names,),
    )


def _set(key: str, names: list[str]) -> None:
    st.session_state[key] = names


def _move(key: str, name: str, step: int) -> None:
    names = list(st.session_state[key])
    at = names.index(name)
    names[at], names[at + step] = names[at + step], names[at]
    st.session_state[key] = names


def _switch(key: str, name: str) -> None:
    """Take a task out of the list, or in at its end."""
    names = [each for each in st.session_state[key] if each != name]
    st.session_state[key] = names if name in st.session_state[key] else [*names, name]


def _keep(names: list[str]) -> None:
    st.session_state[key_of("task_order")] = names
    st.session_state[key_of("order_seed")] = 0
