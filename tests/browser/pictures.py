"""The README's pictures, of the recorded demo: `python -m tests.browser.pictures`."""

import os
import tempfile
from pathlib import Path

from core.analysis import demo
from core.paths import PROJECT
from core.runs.recordings import put_in
from core.runs.store import Store
from tests.browser.driving import browsing, serving, settle

VIEWS = {  # of the picture: the address, and the height in pixels
    "accuracy": ("accuracy?runs=1,2&run=2", 830),
    "forgetting": ("forgetting?runs=1,2&run=2&other=1", 1000),
}
DRAWN = "document.querySelectorAll('.js-plotly-plot .main-svg').length"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOTAL_RECALL_HOME"] = f"{folder}/home"
        store = Store()
        put_in(store, demo.recorded())
        store.close()
        with serving(Path(folder)) as server, browsing() as page:
            for name, (address, height) in VIEWS.items():
                page.set_viewport_size({"width": 1440, "height": height})
                page.goto(f"{server.address}/{address}")
                page.wait_for_function(f"{DRAWN} >= 2")
                settle(page)
                page.wait_for_timeout(2000)  # until figures have the width that is left to them
                page.screenshot(path=PROJECT / "assets" / f"{name}.png")


if __name__ == "__main__":
    main()
