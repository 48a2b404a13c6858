#!/usr/bin/env bash
# All that needs an NVIDIA GPU, in under ten minutes: the tests marked `cuda`, then `bench gpu`.
# From the repository's root, with requirements installed:  tests/devices/on_a_gpu.sh [FOLDER]
# FOLDER takes tests.txt and bench.txt (default: the current one). Ends with 1 if a test failed.
set -uo pipefail
export PYTHONUNBUFFERED=1  # what was measured before a time limit is kept
cd "$(dirname "$0")/../.."
folder="${1:-.}"
mkdir -p "$folder"
if ! python -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    echo "PyTorch sees no NVIDIA GPU here." >&2
    exit 2
fi
timeout 300 python -m pytest -m cuda -p no:cacheprovider tests/devices 2>&1 | tee "$folder/tests.txt"
failed=${PIPESTATUS[0]}
timeout 270 python -m core bench gpu --device cuda:0 2>&1 | tee "$folder/bench.txt"
exit $((failed || PIPESTATUS[0]))
