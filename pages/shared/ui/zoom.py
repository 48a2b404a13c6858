"""A figure that is drawn again with new data keeps the part of its axes that was zoomed to.

Streamlit makes another figure wherever the data change, and `uirevision` holds within one figure
only. So the browser notes each zoom by the figure's key and revision, and gives it to the figure
that comes after it by the way that plotly's own buttons take. Where that fails the zoom is lost.
"""

import streamlit as st

_SCRIPT = """<script>
(() => {
  if (window.totalRecallZoom) return;
  const kept = window.totalRecallZoom = {};
  const AXIS = /^[xy]axis[0-9]*$/;
  const nameOf = plot => {
    const box = plot.closest('[class*="st-key-"]');
    const key = box && [...box.classList].find(name => name.startsWith('st-key-'));
    return key && [location.pathname, key, plot.layout.uirevision].join(' ');
  };
  const zoom = (plot, axis, range) => {
    const button = plot._fullLayout._modeBar.buttons.flat().find(b => b.name === 'zoomIn2d');
    const told = {'data-attr': axis + '.range', 'data-val': range};
    button.click(plot, {currentTarget: {getAttribute: name => told[name]}});
  };
  const watch = plot => {
    plot.totalRecallZoom = true;
    const name = nameOf(plot);
    if (!name) return;
    const axes = Object.keys(plot._fullLayout).filter(each => AXIS.test(each));
    const ranges = () => axes.map(axis => [axis, plot._fullLayout[axis].range.slice()]);
    const first = JSON.stringify(ranges());
    for (const [axis, range] of kept[name] || []) if (axes.includes(axis)) zoom(plot, axis, range);
    plot.on('plotly_relayout', changed => {
      if (!Object.keys(changed).some(each => /axis[0-9]*[.](auto)?range/.test(each))) return;
      if (JSON.stringify(ranges()) === first) delete kept[name]; else kept[name] = ranges();
    });
  };
  setInterval(() => document.querySelectorAll('.js-plotly-plot').forEach(plot => {
    if (plot.totalRecallZoom || !plot.on || !plot._fullLayout?._modeBar) return;
    try { watch(plot); } catch (error) { console.debug('zoom is not kept', error); }
  }), 250);
})();
</script>"""


def keep_zoom() -> None:
    """For the page that is drawn."""
    st.html(_SCRIPT, unsafe_allow_javascript=True)
