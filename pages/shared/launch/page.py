"""How Launch is laid out: presets, the choices that matter, the start beside them, the rest folded.

On a narrow screen the start comes before the folded parts; on a wide one it stays in view.
"""

import streamlit as st

from pages.shared.launch.form import draw_config
from pages.shared.launch.presets import draw_presets
from pages.shared.launch.start import draw_launch

_STYLE = """<style>
@media (min-width: 900px) {
  .st-key-launch_grid {
    display: grid; grid-template-columns: minmax(0, 9fr) minmax(0, 4fr); column-gap: 2rem;
  }
  .st-key-launch_grid > :has(> .st-key-launch_start) {
    grid-column: 2; grid-row: 1 / span 2; position: sticky; top: 4rem; align-self: start;
    max-height: calc(100vh - 5rem); overflow-y: auto;
  }
  .st-key-launch_grid > :has(> .st-key-launch_main) { grid-column: 1; grid-row: 1; }
  .st-key-launch_grid > :has(> .st-key-launch_folded) { grid-column: 1; grid-row: 2; }
}
</style>"""


def draw_page() -> None:
    """The whole page below its heading."""
    st.html(_STYLE)
    presets = st.container()
    with st.container(key="launch_grid"):
        main = st.container(key="launch_main")
        start = st.container(key="launch_start")
        folded = st.container(key="launch_folded")
    with main:
        drawn = draw_config(folded)
    with presets:
        draw_presets(drawn.config)
    with start:
        draw_launch(drawn)
