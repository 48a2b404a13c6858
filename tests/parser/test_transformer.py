"""A pretrained transformer under the parser: a small random BERT, made here, over the registry."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core import validation
from core.config import RunConfig
from core.inspection.parsers import Parsers
from core.inspection.steps import explain
from core.inspection.utterances import write
from core.options import ConfigError
from core.parser import pretrained
from core.parser.kept_states import KeptStates
from core.parser.pieces import Cutter
from core.registry import methods
from core.runs.execution import execute
from core.runs.owner import new_owner
from core.runs.run import FINISHED
from core.runs.store import Store
from core.samplers.parts.parser_views import utterance_encodings
from core.training.assembly import Learner
from core.training.checks import validate
from core.training.resuming import CheckpointMismatch
from core.training.sequence import train
from core.training.stage_optimizer import StageOptimizer
from tests.conftest import make_toy_config
from tests.parser.tiny_bert import SIZE, write_tiny_bert


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("bert") / "tiny")


@pytest.fixture
def config(folder: Path) -> RunConfig:
    return make_toy_config().with_(encoder="transformer", encoder_model=str(folder))


TRAINED = ("no", "yes", "last layers")


def directly(folder: Path, words: list[str], pooling: str) -> np.ndarray:
    """States of words by transformers' own calls, a word at a time."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    pieces = [tokenizer.tokenize(word) for word in words]
    flat = ["[CLS]", *(piece for word in pieces for piece in word), "[SEP]"]
    with torch.no_grad():
        ids = torch.tensor([tokenizer.convert_tokens_to_ids(flat)])
        states = model(input_ids=ids).last_hidden_state[0].numpy()
    rows, at = [], 1
    for word in pieces:
        rows.append(states[at] if pooling == "first" else states[at : at + len(word)].mean(axis=0))
        at += len(word)
    return np.stack(rows)


@pytest.mark.parametrize("pooling", ["first", "mean"])
@pytest.mark.parametrize("trained", TRAINED)
def test_states_are_those_of_the_model_pooled_to_words(config, folder, pooling, trained) -> None:
    learner = Learner(config.with_(encoder_pooling=pooling, encoder_trained=trained))
    batch, tasks = learner.train_batches[0], learner.tasks
    with torch.no_grad():
        states = learner.transformer(batch.words, batch.lengths, learner.parser.vocabulary)
    for row, example in enumerate(tasks[0].train):
        expected = directly(folder, example.words, pooling)
        assert np.allclose(states[row, : len(example.words)].numpy(), expected, atol=1e-5)
        assert not states[row, len(example.words) :].any()


def test_fixed_states_are_the_same_in_any_batch_and_are_computed_once(config, home) -> None:
    learner = Learner(config)
    batch, words = learner.train_batches[0], learner.parser.vocabulary
    whole = learner.transformer(batch.words, batch.lengths, words)
    for row in range(len(batch)):
        part = batch.take([row])
        alone = Learner(config).transformer(part.words, part.lengths, words)
        assert torch.equal(alone[0], whole[row, : part.words.shape[1]])
    again = Learner(config)
    again.transformer.module.register_forward_hook(lambda *_: pytest.fail("computed again"))
    assert torch.equal(again.transformer(batch.words, batch.lengths, words), whole)
    assert len(list((home / "encoders").iterdir())) == 1


def test_kept_states_that_are_damaged_are_computed_again(home) -> None:
    made: list[int] = []

    def make() -> np.ndarray:
        made.append(1)
        return np.full((2, 3), len(made), dtype=np.float32)

    first, second = KeptStates("model", 3), KeptStates("model", 3)
    first.get(["a", "b"], make)
    assert second.get(["a", "b"], make).tolist() == [[1] * 3] * 2  # what another process kept
    assert made == [1]
    index, states = home / "encoders/model/index", home / "encoders/model/states"
    index.write_bytes(index.read_bytes() + b"half a li")  # a process was killed
    assert KeptStates("model", 3).get(["c"], make).tolist() == [[2] * 3] * 2
    assert KeptStates("model", 3).get(["c"], make).tolist() == [[2] * 3] * 2
    states.write_bytes(b"\1" + states.read_bytes()[1:-5])
    assert KeptStates("model", 3).get(["a", "b"], make).tolist() == [[3] * 3] * 2
    assert KeptStates("model", 3).get(["c"], make).tolist() == [[4] * 3] * 2
    assert KeptStates("model", 3).get(["a", "b"], make).tolist() == [[3] * 3] * 2


@pytest.mark.parametrize("trained", TRAINED)
@pytest.mark.parametrize("method", list(methods))
def test_every_method_learns_over_it_and_goes_on_with_the_same_bits(
    config, method: str, trained: str
) -> None:
    of_memory = {"sampler": "random"} if methods[method].memory else {"memory_size": 50}
    config = config.with_(
        method=method,
        **of_memory,
        encoder_trained=trained,
        encoder_rate=0.01,
        epochs=1,
        encoder_warmup=3,
        error_rows=0,
        record_actions=False,
        task_order=("zoo", "port"),
    )
    if method == "hat" and trained != "no":
        with pytest.raises(ConfigError, match="HAT keeps tasks apart by masks"):
            validation.check(config)
        return
    validation.check(config)
    saved: list[dict[str, Any]] = []
    learner = train(config, lambda event: None, save=lambda s: saved.append(copy.deepcopy(s)))
    moving = [name for name in learner.parser.state_dict() if name.startswith("transformer.")]
    assert bool(moving) == (trained != "no")
    if trained == "last layers":
        assert all(name.startswith("transformer.module.encoder.layer.") for name in moving)
        assert {name.split(".")[4] for name in moving} == {"1", "2"}
    start = Learner(config).parser.state_dict()
    if moving and method != "oracle":
        end = learner.parser.state_dict()
        assert not any(torch.equal(start[name], end[name]) for name in moving if "query.w" in name)
    resumed = train(config, lambda event: None, resume=saved[len(saved) // 2])
    for name, tensor in learner.parser.state_dict().items():
        assert torch.equal(resumed.parser.state_dict()[name], tensor), name


def test_anew_means_the_pretrained_weights(config) -> None:
    parser = Learner(config.with_(encoder_trained="yes")).parser
    before = {name: p.clone() for name, p in parser.transformer.named_parameters()}
    with torch.no_grad():
        for parameter in parser.transformer.parameters():
            parameter.add_(1)
    parser.initialise()
    for name, parameter in parser.transformer.named_parameters():
        assert torch.equal(parameter, before[name])


def test_its_rate_rises_and_follows_the_schedule(config) -> None:
    learner = Learner(config.with_(method="finetune", encoder_trained="yes", encoder_warmup=4))
    method, stage = learner.method, learner.method.stages(0)[0]
    optimizer, rates = StageOptimizer(method, 0, stage), []
    for number, step in enumerate([*method.steps(0, stage), *method.steps(0, stage)]):
        optimizer.set_rate(0.01 if number < 5 else 0.005)
        optimizer.step(step)
        rates.append([group["lr"] for group in optimizer.adam.param_groups])
    assert len(rates) == 6
    share = [0.25, 0.5, 0.75, 1, 1, 0.5]
    assert np.allclose([rate[1] for rate in rates], [5e-5 * each for each in share])
    assert [rate[0] for rate in rates] == [0.01] * 5 + [0.005]


def test_no_dropout_is_left_inside(folder: Path) -> None:
    write_tiny_bert(folder.parent / "dropping", hidden_dropout_prob=0.5)
    module = pretrained.load(pretrained.find(str(folder.parent / "dropping")))
    drops = [part.p for part in module.modules() if isinstance(part, torch.nn.Dropout)]
    assert drops
    assert not any(drops)


def test_words_of_no_training_row_are_read(config) -> None:
    parser = Learner(config).parser
    assert "captain" in parser.vocabulary
    assert "zebra" not in parser.vocabulary
    numbers = parser.vocabulary.encode(["captain", "zebra", "ships"])
    assert len(set(numbers)) == 3
    assert parser.vocabulary.encode([]) == [1]


def test_samplers_see_utterances(config) -> None:
    learner = Learner(config)
    table = utterance_encodings(learner.tasks[0].train, learner.parser)
    assert table.shape == (len(learner.tasks[0].train), config.hidden_size)
    assert len(np.unique(table, axis=0)) == len({row.utterance for row in learner.tasks[0].train})


@pytest.mark.parametrize("trained", ["no", "yes"])
def test_attention_is_over_words_and_a_resumed_run_is_shown(store: Store, config, trained) -> None:
    owner = new_owner()
    config = config.with_(method="finetune", encoder_trained=trained)
    id = store.create(config, claimed_by=owner)
    assert execute(store, store.run(id), owner).status == FINISHED
    trace = Parsers(store.run(id)).explain(1, "show all keepers of zebras", 1)
    assert trace.words == ("show", "all", "keepers", "of", "zebras")
    assert trace.known == (True, True, True, True, False)
    assert all(step.attention.shape == (5,) for step in trace.steps)


def test_what_is_cut_off_is_said(config, folder: Path) -> None:
    assert validate(config) == ""
    short = write_tiny_bert(folder.parent / "short", max_position_embeddings=6)
    said = validate(config.with_(encoder_model=str(short)))
    assert "longer than the 6 pieces" in said
    assert "of their last words nothing is known" in said
    pieces = Cutter(pretrained.find(str(short)), "first").cut(("show", "all", "ships", "fast"))
    assert pieces.n_cut == 1
    assert pieces.pooling[:3].any(axis=1).all()
    assert not pieces.pooling[3].any()
    parser = Learner(config.with_(encoder_model=str(short))).parser
    for utterance, unread in (("show all ships", 0), ("show all ships fast", 1)):
        assert write(parser, utterance, 0).unread == explain(parser, utterance, 0).unread == unread


def test_another_model_in_the_same_folder_is_no_model_of_the_checkpoint(config, tmp_path) -> None:
    config = config.with_(encoder_model=str(write_tiny_bert(tmp_path / "mine")), epochs=1)
    saved: list[dict[str, Any]] = []
    train(config, lambda event: None, save=saved.append)
    write_tiny_bert(tmp_path / "mine", layer_norm_eps=0.1)
    with pytest.raises(CheckpointMismatch, match="transformer is another one now"):
        train(config, lambda event: None, resume=saved[0])


def damaged(folder: Path, how: str) -> Path:
    """A model's folder with one thing wrong."""
    write_tiny_bert(folder, **({"vocab_size": 20} if how == "other tokenizer" else {}))
    weights, settings = folder / "model.safetensors", folder / "config.json"
    if how == "pickle":
        weights.rename(folder / "pytorch_model.bin")
    elif how == "no weights":
        weights.unlink()
    elif how == "no config":
        settings.unlink()
    elif how == "no tokenizer":
        for path in folder.glob("tokenizer*"):
            path.unlink()
    elif how == "strange config":
        settings.write_text("{}")
    elif how == "cut weights":
        weights.write_bytes(weights.read_bytes()[:-100])
    elif how == "other weights":
        values = json.loads(settings.read_text())
        settings.write_text(json.dumps(values | {"num_hidden_layers": 4}))
    elif how == "other sizes":
        values = json.loads(settings.read_text())
        settings.write_text(json.dumps(values | {"hidden_size": 32}))
    elif how == "decoder":
        values = json.loads(settings.read_text())
        settings.write_text(json.dumps(values | {"is_decoder": True}))
    return folder


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("pickle", r"weights are in pytorch_model\.bin, a format that can carry code"),
        ("no weights", r"the folder has no weights; expected model\.safetensors"),
        ("no config", r"the folder has no config\.json"),
        ("no tokenizer", r"the folder has no tokenizer; expected tokenizer\.json"),
        ("strange config", r"config\.json can't be used"),
        ("other tokenizer", "do not belong together"),
        ("decoder", "it writes text; expected an encoder"),
        ("cut weights", "its weights can't be read"),
        ("other weights", "its weights are not those that its config.json describes"),
        ("other sizes", "its weights are not those that its config.json describes"),
    ],
)
def test_a_folder_that_is_no_good_is_refused_before_a_run_is_queued(
    config, tmp_path, how: str, says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        validate(config.with_(encoder_model=str(damaged(tmp_path / "m", how))))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "expected a folder with a pretrained transformer"),
        ("/nowhere/at all", "no such folder, and it is no name on Hugging Face"),
        ("nobody/has-this", "Hugging Face can't be reached"),
    ],
)
def test_a_name_that_is_no_good_is_refused(config, monkeypatch, name: str, says: str) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match=says):
        validate(config.with_(encoder_model=name))


def test_a_hub_that_does_not_answer_is_given_up_and_what_is_here_is_used(
    config, folder, monkeypatch
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    kept: list[Path] = []

    def model_info(self: Any, name: str, *, timeout: float) -> None:
        assert 0 < timeout <= 60
        raise TimeoutError("no answer")

    def snapshot_download(name: str, *, local_files_only: bool, **more: Any) -> str:
        assert local_files_only
        if not kept:
            raise hub.errors.LocalEntryNotFoundError("nothing is kept")
        return str(kept[0])

    monkeypatch.setattr(hub.HfApi, "model_info", model_info)
    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    with pytest.raises(ConfigError, match=r"can't be reached or does not give it \(no answer\)"):
        validate(config.with_(encoder_model="somebody/tiny"))
    kept.append(folder)
    assert validate(config.with_(encoder_model="somebody/tiny")) == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"embeddings": "glove-6b-50"}, "embeddings = 'glove-6b-50' has no effect with encoder"),
        ({"word_dropout": 0.1}, "word_dropout = 0.1 has no effect with encoder"),
        ({"encoder": "lstm"}, "has no effect with encoder = 'lstm'"),
        ({"encoder_layers": 3, "encoder_trained": "yes"}, "encoder_layers = 3 has no effect"),
    ],
)
def test_settings_without_effect_are_refused(config, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        validation.check(replace(config, **changes))


def test_more_layers_than_there_are_is_refused(config) -> None:
    with pytest.raises(ConfigError, match="has 3 layers"):
        validate(config.with_(encoder_trained="last layers", encoder_layers=4))


def test_fine_tuning_that_does_not_fit_the_memory_is_refused(config, monkeypatch) -> None:
    monkeypatch.setattr("core.parser.transformer.available_bytes", lambda: 1000)
    assert validate(config) == ""
    with pytest.raises(ConfigError, match=r"needs about .* of memory"):
        validate(config.with_(encoder_trained="yes"))


def test_without_the_package_the_reason_is_said(config, monkeypatch) -> None:
    monkeypatch.setattr("core.config.parser.find_spec", lambda name: None)
    assert pretrained.INSTALL in pretrained.available()
    with pytest.raises(ConfigError, match="takes the package transformers: pip install"):
        validate(config)


def test_nothing_of_transformers_is_loaded_unless_asked() -> None:
    import subprocess
    import sys

    code = (
        "import sys, core.training.sequence, core.training.checks;"
        "print('transformers' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_states_have_the_models_size(config) -> None:
    assert Learner(config).parser.encoder.input_size == SIZE
