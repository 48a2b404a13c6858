"""What pages share: text that stays text, options in addresses, seeds, downloads."""

import re
import string
import time
from dataclasses import replace

import hypothesis
import pytest
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.config import RunConfig
from core.data.upload import store_upload, uploads
from core.options import ConfigError, specs
from core.registry import methods, samplers
from core.runs.run import STATUSES
from pages.shared.access.downloads import Download
from pages.shared.launch.form import parameters
from pages.shared.ui.options import explain, read, write
from pages.shared.ui.seeds import read_seeds
from pages.shared.ui.tables import WIDEST, fitting
from pages.shared.ui.text import STATUS, counted, escape, size
from tests.made_up import finished_run, record_errors, recorded_run
from tests.pages.sessions import letters, opened, texts, well


@hypothesis.given(st.text(max_size=60))
def test_escaping_loses_no_letter(text):
    shown = escape(text).replace(":small[]", "")
    unescaped, at = [], 0
    while at < len(shown):
        at += shown[at] == "\\"
        unescaped.append(shown[at])
        at += 1
    assert "".join(unescaped) == " ".join(text.split())


@hypothesis.given(st.text(alphabet=string.punctuation + "abw ", max_size=40))
@hypothesis.example("see http://a.b:80/ or www.a.b, a@b.c, mailto:a, :a: and :material/a: :+1:")
def test_no_mark_stands_unescaped_and_no_code_or_address_is_whole(text):
    shown = escape(text).replace(":small[]", "\x00")
    for at, letter in enumerate(shown):
        if letter in string.punctuation and letter != "\\":
            assert shown[at - 1] == "\\"
    read = re.sub(r"\\(.)", r"\1", shown)
    assert not re.search(r":[\w+/-]+:|://|www\.|[\w.]@[\w.]", read)


def test_what_people_copy_holds_no_sign_that_they_did_not_see():
    sentence = "memory_size = -5: expected 1 to 100,000; see core/options.py:12."
    assert ":small[]" not in escape(sentence)
    assert escape("a\u2060b") == "a\u2060b"  # what is there stays


def test_every_status_has_its_look():
    assert set(STATUS) == set(STATUSES)
    assert len({look.icon for look in STATUS.values()}) == len(STATUS)


def test_amounts_in_words():
    assert (size(123), size(4_500_000)) == ("0 kB", "4.5 MB")
    assert (counted(1, "run"), counted(2000, "run")) == ("1 run", "2,000 runs")


def declared():
    owners = [RunConfig, *(entry.options for r in (methods, samplers) for entry in r.values())]
    return [spec for owner in owners for spec in specs(owner)]


@pytest.mark.parametrize("spec", declared(), ids=lambda spec: spec.name)
def test_an_option_reads_back_from_its_address_and_explains_itself(spec):
    assert read(spec, write(spec.default)) == spec.default
    assert "Default:" in explain(spec)


def test_lists_with_commas_and_quotes_read_back():
    (spec,) = [spec for spec in specs(RunConfig) if spec.name == "task_order"]
    names = ("a,b", 'c "d"', " e ")
    assert read(spec, write(names)) == names


def test_nonsense_in_an_address_is_no_value():
    by_name = {spec.name: spec for spec in specs(RunConfig)}
    for name, text in (("epochs", "ten"), ("learning_rate", "x"), ("task_masking", "maybe")):
        with pytest.raises(ValueError, match=text):
            read(by_name[name], text)


def test_a_config_becomes_only_what_differs():
    options = {"replay": "joint"}
    config = RunConfig(method="emr", sampler="random", seed=3, method_options=options)
    said = {"method": "emr", "seeds": "3", "method.replay": "joint"}
    assert parameters(config) == said  # random is EMR's own sampler
    assert parameters(config.with_(sampler="dlfs")) == said | {"sampler": "dlfs"}


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("0", (0,)), ("2, 1,2", (2, 1)), ("0, 3, 5-8", (0, 3, 5, 6, 7, 8)), ("4-4", (4,))],
)
def test_seeds_are_read(text, seeds):
    assert read_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "1,,2", "-1", "3-1", "0-1000", "1-2-3", "1.5"])
def test_what_are_no_seeds_is_said(text):
    with pytest.raises(ConfigError, match="seeds"):
        read_seeds(text)


# --- downloads --------------------------------------------------------------------------------


def ended(download: Download) -> Download:
    for _ in range(1000):
        if not download.under_way:
            return download
        time.sleep(0.02)
    raise AssertionError("the download does not end")


def test_a_download_that_fails_says_why(monkeypatch, tmp_path):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "data"))
    download = ended(Download("overnight", tmp_path / "nowhere"))
    assert "expected a folder that is there" in download.error


def test_a_download_that_fails_in_a_way_unforeseen_says_so(monkeypatch):
    def fail(*given: object, **more: object) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr("pages.shared.access.downloads.get", fail)
    assert "RuntimeError: no such luck" in ended(Download("overnight")).error


def test_the_home_page_shows_what_went_wrong_and_offers_it_again(monkeypatch, tmp_path):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "data"))
    page = opened("app.py")
    (mirror, *_) = [w for w in page.text_input if w.label == "From elsewhere"]
    mirror.set_value(str(tmp_path / "nowhere"))
    (start, *_) = [b for b in page.button if b.label == "Get from there"]
    start.click().run()
    for _ in range(100):
        if page.error:
            break
        time.sleep(0.05)
        page.run()
    assert "expected a folder" in page.error[0].value
    assert [b for b in page.button if b.label.startswith("Get (")]
    assert not page.exception


@pytest.mark.data
def test_a_download_from_a_mirror_brings_the_data_set(real_data, monkeypatch, tmp_path):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "data"))
    download = ended(Download("overnight", real_data))
    assert download.error == ""
    assert download.progress.files_done == download.progress.files
    page = opened("app.py")
    left = [b.key for b in page.button if b.label.startswith("Get (")]
    assert {"get/nlmap_qt", "get/nlmap_city"} <= set(left)
    assert "get/overnight" not in left


# --- what a run has recorded -------------------------------------------------------------------


@pytest.mark.parametrize("page", ["accuracy", "error_curves", "report"])
def test_runs_of_two_uploads_are_not_compared_without_a_word(store, page: str) -> None:
    files = [
        store_upload(GOOD + b"zoo\ttest\t%s\t( x )\n" % word, "my.tsv") for word in (b"a", b"b")
    ]
    for file in files:
        uploaded = {"dataset": "upload", "dataset_options": {"file": file.digest}}
        record_errors(store, finished_run(store, RunConfig(**uploaded)), stages={"slow": 1})
    assert "different data" not in texts(opened(f"pages/{page}.py", run="1").warning)
    (warning,) = opened(f"pages/{page}.py", run="1,2").warning
    assert all(file.label in letters([warning]) for file in files)


@pytest.mark.parametrize("page", ["error_curves", "forgetting", "drilldown"])
def test_a_page_says_that_recording_was_reduced(store, page: str) -> None:
    ids = [recorded_run(store, RunConfig(dataset="toy", seed=seed)) for seed in range(2)]
    for id in ids:
        record_errors(store, id, stages={"slow": 1})
    assert "reduced" not in texts(opened(f"pages/{page}.py", run="1").caption)
    text = "Records errors on 13 rows a task: about 14% of training."
    store.record(1, replace(store.run(1).facts, reduced=text))
    captions = letters(well(opened(f"pages/{page}.py", run="1")).caption)
    assert "Run 1: recording was reduced to keep within its budget" in captions
    assert text in captions


@pytest.mark.parametrize("page", ["error_curves", "forgetting", "drilldown"])
@pytest.mark.parametrize("there_are_others", [False, True])
def test_a_page_says_that_the_budget_allowed_no_recording(store, page, there_are_others) -> None:
    ids = [finished_run(store, RunConfig(dataset="toy", seed=seed)) for seed in range(7)]
    text = "Records nothing beside accuracy."
    for id in ids:
        store.record(id, replace(store.run(id).facts, reduced=text))
    if there_are_others:
        record_errors(store, recorded_run(store, RunConfig(dataset="toy")), stages={"slow": 1})
    captions = letters(well(opened(f"pages/{page}.py", run="1")).caption)
    named = "Run 1" if there_are_others else "Runs 7, 6, 5, 4, 3 and 2 more"
    assert f"{named}: recording was reduced to keep within its budget" in captions
    assert text in captions


# --- files of one's own -----------------------------------------------------------------------

GOOD = (
    b"zoo\ttrain\tall <b>animals</b>\t( list animal )\nzoo\ttest\tanimals\t( list animal )\n"
    b"port\ttrain\tships\t( list ship )\nport\ttest\tships please\t( list ship )\n"
)


def given(data: bytes) -> AppTest:
    page = opened("app.py")
    return page.file_uploader[0].set_value(("mine *so*.tsv", data, "text/plain")).run()


def test_a_file_is_kept_and_can_be_learned():
    page = well(given(GOOD))
    (kept,) = uploads()
    assert kept.tasks == ("zoo", "port")
    assert "mine \\*so\\*" in texts(page.success)
    page = well(opened("pages/launch.py", dataset="upload"))
    assert (
        page.code[0].value == f"python -m core train --dataset upload --dataset.file {kept.digest}"
    )
    assert kept.summary in texts(opened("app.py").text)
    assert "can be written" not in texts(page.warning)


def test_launch_warns_of_the_tasks_chosen_whose_test_rows_cannot_be_written() -> None:
    lines = [b"city\t%s\t%s\t( list ( x ( y ) ) )\n" % (s, s) for s in (b"train", b"test")]
    lines += [b"far\t%s\ta\t( list ( %s ) )\n" % (s, s) for s in (b"train", b"test")]
    page = given(GOOD + b"".join(lines))
    assert "can be written" not in texts(page.warning)  # three of four can
    page = well(opened("pages/launch.py", dataset="upload", task_order="far,port"))
    assert "can be written" not in texts(page.warning)
    page = well(opened("pages/launch.py", dataset="upload", task_order="far"))
    assert "Only 0 of 1 test rows can be written with the actions" in letters(page.warning)


def test_a_bad_file_is_refused_with_line_and_column_and_read_once(monkeypatch):
    read = []

    def store(*given):
        read.append(given)
        return store_upload(*given)

    monkeypatch.setattr("pages.shared.home.upload.store_upload", store)
    page = well(well(given(GOOD + b"zoo\ttrain\tx\t( list animal\n")).run().run())
    assert len(read) == 1
    assert "line 5\\, column 13" in texts(page.error)  # a failed download may stand there too
    assert uploads() == ()


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("1 2", (1, 2)), ("0 2 4", (0, 2, 4)), ("0,  2 4", (0, 2, 4)), (" 3 - 5  9 ", (3, 4, 5, 9))],
)
def test_blanks_separate_seeds_as_commas_do(text, seeds):
    assert read_seeds(text) == seeds


def test_a_column_is_as_wide_as_its_longest_text_up_to_a_limit():
    assert fitting(["ab"], 120) == fitting([], 120) == 120
    assert 120 < fitting(["x" * 40, "ab"], 120) < fitting(["x" * 50], 120) < WIDEST
    assert fitting(["x" * 400], 120) == WIDEST
