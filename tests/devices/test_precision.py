"""The precision of training: near float32 by every method, float32 elsewhere, refused where not."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

from core.config import RunConfig
from core.events import Epoch, Event
from core.options import ConfigError
from core.parser.modes import evaluating, training
from core.training import precision
from core.training.assembly import Learner
from core.training.checks import validate
from core.training.devices import own_stream
from core.training.precision import products
from core.training.sequence import train
from tests.devices.runs import VARIANTS

HAS_BFLOAT16 = torch.ops.mkldnn._is_mkldnn_bf16_supported()
by_bfloat16 = pytest.mark.skipif(not HAS_BFLOAT16, reason="this CPU has no bfloat16")
GPU = torch.device("cuda:0")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A GPU in name only, of the Ampere generation, and PyTorch's switches as they were."""
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 0))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA Test")
    switches = (torch.backends.cuda.matmul, torch.backends.cudnn.rnn, torch.backends.cudnn.conv)
    before = [switch.fp32_precision for switch in switches]
    yield
    for switch, value in zip(switches, before, strict=True):
        switch.fp32_precision = value


def switches() -> set[str]:
    return {
        torch.backends.cuda.matmul.fp32_precision,
        torch.backends.cudnn.rnn.fp32_precision,
        torch.backends.cudnn.conv.fp32_precision,
    }


@by_bfloat16
@pytest.mark.parametrize(("name", "options", "settings"), VARIANTS, ids=str)
def test_every_method_learns_by_bfloat16_nearly_as_by_float32(
    toy_config: RunConfig, name: str, options: dict, settings: dict
) -> None:
    config = toy_config.with_(
        method=name, method_options=options, epochs=1, task_order=("zoo", "port"), **settings
    )
    losses: dict[str, list[float]] = {}
    for numbers in ("float32", "bfloat16"):
        events: list[Event] = []
        learner = train(config.with_(precision=numbers), events.append)
        losses[numbers] = [event.loss for event in events if isinstance(event, Epoch)]
        assert {p.dtype for p in learner.parser.parameters()} == {torch.float32}
    assert losses["bfloat16"] == pytest.approx(losses["float32"], rel=0.1)
    assert losses["bfloat16"] != losses["float32"]


@by_bfloat16
def test_only_training_is_by_bfloat16(toy_config: RunConfig) -> None:
    plain = Learner(toy_config.with_(dropout=0.0))
    rounded = Learner(toy_config.with_(dropout=0.0, precision="bfloat16"))
    batch = plain.train_batches[0]
    for mode, same in ((evaluating, True), (training, False)):
        with mode(plain.parser), mode(rounded.parser):
            states, attention = plain.parser(batch)
            rounded_states, rounded_attention = rounded.parser(batch)
        assert rounded_states.dtype == rounded_attention.dtype == torch.float32
        assert (
            torch.equal(states, rounded_states) == torch.equal(attention, rounded_attention) == same
        )
        assert torch.allclose(states, rounded_states, atol=0.05)


@pytest.mark.parametrize("numbers", ["tf32", "bfloat16"])
def test_what_a_device_does_not_have_is_refused_before_a_run_is_queued(
    toy_config: RunConfig, monkeypatch: pytest.MonkeyPatch, gpu: None, numbers: str
) -> None:
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    with pytest.raises(ConfigError, match=f"precision = '{numbers}': this CPU has no such"):
        validate(toy_config.with_(precision=numbers))
    precision.check(numbers, GPU)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 5))
    with pytest.raises(ConfigError, match="NVIDIA Test is older than the GPUs that have such"):
        precision.check(numbers, GPU)
    precision.check("float32", GPU)


def test_a_gpu_multiplies_as_the_runs_on_it_ask(gpu: None) -> None:
    with products("float32", GPU):
        assert switches() == {"ieee"}
        with products("bfloat16", GPU):  # what autocast leaves is float32
            assert switches() == {"ieee"}
        with pytest.raises(ConfigError, match="computes in float32"), products("tf32", GPU):
            pytest.fail("it was let in")
        assert switches() == {"ieee"}
    with products("tf32", GPU):
        assert switches() == {"tf32"}
        with pytest.raises(ConfigError, match="computes with TF32"), products("float32", GPU):
            pytest.fail("it was let in")
    with products("float32", GPU):
        assert switches() == {"ieee"}


def test_a_run_on_a_gpu_has_a_stream_of_its_own_and_waits_for_it_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []

    class Stream:
        def __init__(self, device: torch.device) -> None:
            said.append(f"stream on {device}")

        def synchronize(self) -> None:
            said.append("waits")

    @contextmanager
    def entered(stream: Stream) -> Iterator[None]:
        said.append("begins")
        yield
        said.append("ends")

    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", entered)
    with own_stream(GPU):
        said.append("trains")
    assert said == ["stream on cuda:0", "begins", "trains", "waits", "ends"]
    with own_stream(torch.device("cpu")):
        assert len(said) == 5
