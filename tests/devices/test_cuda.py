"""On a real GPU: the CPU's numbers to a tolerance, going on, and two runs at once on one card."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from core.config import RunConfig
from core.events import Epoch, Event
from core.parser.decode import parse
from core.registry import methods
from core.training.assembly import Learner
from core.training.sequence import train
from tests.devices.runs import VARIANTS, numbers
from tests.learners import make
from tests.parser.tiny_bert import write_tiny_bert

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no NVIDIA GPU here"),
    # HAT's scaled weights do not lie side by side: cuDNN copies them, and says so
    pytest.mark.filterwarnings("ignore:RNN module weights are not part of single contiguous"),
]
NEAR = {"rel": 2e-3, "abs": 1e-3}  # float32 without TF32, after some steps of Adam


def events_of(config: RunConfig, **more) -> list[Event]:
    events: list[Event] = []
    train(config, events.append, **more)
    return events


def on(config: RunConfig, device: str) -> RunConfig:
    return config.with_(device=device, dropout=0.0)  # the devices' random numbers differ


@pytest.mark.parametrize(("name", "options", "settings"), VARIANTS, ids=str)
def test_a_run_is_that_of_the_cpu(toy_config, name, options, settings) -> None:
    settings = {**settings, "word_dropout": 0.0}
    config = toy_config.with_(method=name, method_options=options, epochs=1, **settings)
    on_gpu, on_cpu = (numbers(events_of(on(config, device))) for device in ("cuda:0", "cpu"))
    assert on_gpu == pytest.approx(on_cpu, **NEAR)


@pytest.mark.parametrize("trained", ["no", "yes", "last layers"])
def test_a_run_over_a_transformer_is_that_of_the_cpu(toy_config, tmp_path, trained) -> None:
    model = str(write_tiny_bert(tmp_path / "bert"))
    config = toy_config.with_(
        method="emr", epochs=1, encoder="transformer", encoder_model=model, encoder_trained=trained
    )
    on_gpu, on_cpu = (numbers(events_of(on(config, device))) for device in ("cuda:0", "cpu"))
    assert on_gpu == pytest.approx(on_cpu, **NEAR)


@pytest.mark.parametrize("feeding", [False, True])
def test_losses_gradients_and_parses_are_those_of_the_cpu(toy_config, feeding) -> None:
    results = []
    for device in ("cpu", "cuda:0"):
        learner = make(on(toy_config, device), input_feeding=feeding, beam_size=3)
        learner.parser.train()
        losses = learner.parser.row_losses(learner.train_batches[1])
        losses.mean().backward()
        gradients = [p.grad.cpu() for p in learner.parser.parameters()]
        learner.parser.eval()
        results.append(
            (losses.detach().cpu(), gradients, parse(learner.parser, learner.test_batches[2]))
        )
    (losses, gradients, parses), (losses_gpu, gradients_gpu, parses_gpu) = results
    assert torch.allclose(losses, losses_gpu, rtol=1e-4, atol=1e-5)
    for gradient, on_gpu in zip(gradients, gradients_gpu, strict=True):
        assert torch.allclose(gradient, on_gpu, rtol=1e-3, atol=1e-5)
    assert [p.actions for p in parses] == [p.actions for p in parses_gpu]


@pytest.mark.parametrize("name", list(methods))
def test_a_run_goes_on(toy_config, name) -> None:
    config = on(toy_config.with_(method=name, epochs=1, task_order=("zoo", "port")), "cuda:0")
    states: list[dict] = []
    whole = numbers(events_of(config, save=states.append))
    resumed = numbers(events_of(config, resume=states[len(states) // 2]))
    assert resumed == pytest.approx(whole[len(whole) - len(resumed) :], **NEAR)


def test_two_runs_in_two_threads_are_two_runs_one_after_the_other(toy_config) -> None:
    configs = [on(toy_config.with_(method="emr", seed=seed), "cuda:0") for seed in (1, 2)]
    alone = [numbers(events_of(config)) for config in configs]
    with ThreadPoolExecutor(2) as threads:
        together = [numbers(events) for events in threads.map(events_of, configs)]
    for by_itself, beside_another in zip(alone, together, strict=True):
        assert beside_another == pytest.approx(by_itself, **NEAR)


@pytest.mark.parametrize("precision", ["tf32", "bfloat16"])
def test_other_precisions_are_near_float32(toy_config, precision: str) -> None:
    config = on(toy_config.with_(method="emr"), "cuda:0")
    plain, rounded = (
        [event.loss for event in events_of(config.with_(precision=p)) if isinstance(event, Epoch)]
        for p in ("float32", precision)
    )
    assert rounded == pytest.approx(plain, rel=0.1)


def test_dropout_on_the_card_keeps_its_share_and_its_own_stream(toy_config) -> None:
    learner = Learner(toy_config.with_(device="cuda:0", dropout=0.5))
    learner.parser.train()
    first = learner.parser._drop(torch.ones(1000, 100, device="cuda:0"))
    second = learner.parser._drop(torch.ones(1000, 100, device="cuda:0"))
    assert not torch.equal(first, second)
    assert float((first > 0).float().mean()) == pytest.approx(0.5, abs=0.01)
