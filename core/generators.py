"""The random generators of one run: one stream a purpose, all derived from the run's seed.

A stream depends on the seed and its name only, so that, say, another sampler does not change the
order of the batches. Nothing touches the global generators of PyTorch or NumPy.
"""

import json
import zlib
from typing import Any

import numpy as np
import torch


class Generators:
    """Named streams of random numbers whose states can be saved and restored."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._torch: dict[str, torch.Generator] = {}
        self._numpy: dict[str, np.random.Generator] = {}

    def _entropy(self, name: str) -> np.random.SeedSequence:
        return np.random.SeedSequence([self.seed, zlib.crc32(name.encode())])

    def for_tensors(self, name: str, device: torch.device | str = "cpu") -> torch.Generator:
        """The stream `name` for tensors on `device`."""
        if name not in self._torch:
            seed = int(self._entropy(name).generate_state(1, np.uint64)[0] >> np.uint64(1))
            self._torch[name] = torch.Generator(device).manual_seed(seed)
        return self._torch[name]

    def for_arrays(self, name: str) -> np.random.Generator:
        """The stream `name` for arrays."""
        if name not in self._numpy:
            self._numpy[name] = np.random.default_rng(self._entropy(name))
        return self._numpy[name]

    def state(self) -> dict[str, dict[str, Any]]:
        """Plain values and tensors that `restore` takes."""
        arrays = {name: json.dumps(g.bit_generator.state) for name, g in self._numpy.items()}
        return {"torch": {n: g.get_state() for n, g in self._torch.items()}, "numpy": arrays}

    def restore(self, state: dict[str, dict[str, Any]], device: torch.device | str = "cpu") -> None:
        """Continue every stream where `state` was taken; `device` holds the device streams."""
        for name, saved in state["torch"].items():
            self.for_tensors(name, device if name.endswith("@device") else "cpu").set_state(
                saved.cpu()
            )
        for name, saved in state["numpy"].items():
            self.for_arrays(name).bit_generator.state = json.loads(saved)
