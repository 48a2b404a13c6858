"""The README's pictures: `python -m tests.browser.pictures`, in a home with two runs on Overnight.

    python -m core train --dataset overnight --method total_recall --task-masking --epochs 3 \\
        --hidden-size 96 --word-size 64
    python -m core train --dataset overnight --method finetune --task-masking --epochs 3 \\
        --hidden-size 96 --word-size 64

The first run of the home is selected, the second stands beside it.
"""

import os
import shutil
import tempfile
from pathlib import Path

from core import paths
from core.paths import PROJECT
from tests.browser.driving import browsing, serving, settle

VIEWS = {  # of the picture: the address, and the height in pixels
    "accuracy": ("accuracy?runs=2,1&run=1", 1130),
    "forgetting": ("forgetting?runs=2,1&run=1&other=2&view=actions", 1180),
}
DRAWN = "document.querySelectorAll('.js-plotly-plot .main-svg').length"


def main() -> None:
    data, folder = paths.data_folder(), Path(tempfile.mkdtemp())
    shutil.copytree(paths.home(), folder / "home")
    os.environ["TOTAL_RECALL_HOME"] = str(folder / "home")
    with serving(folder, data=data) as server, browsing() as page:
        for name, (address, height) in VIEWS.items():
            page.set_viewport_size({"width": 1280, "height": height})
            page.goto(f"{server.address}/{address}")
            page.wait_for_function(f"{DRAWN} >= 2")
            settle(page)
            page.wait_for_timeout(2000)  # until what is above the figures has its last width
            page.screenshot(path=PROJECT / "assets" / f"{name}.png")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
