"""All text of all pages, as a browser draws it, stands out from what it lies on.

Every view in one of the themes, by turns; TOTAL_RECALL_WHOLE=1: in both.
"""

from urllib.parse import urlencode

import pytest

from tests.browser.driving import settle
from tests.pages.views import CASES, WHOLE

LEAST = 4.5  # contrast, by WCAG 2.1
FAINT = """least => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const read = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, ground) =>
    [0, 1, 2].map(at => top[at] * top[3] + ground[at] * (1 - top[3])).concat(1);
  const luminance = colour => {
    const linear = colour.slice(0, 3).map(
      part => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const contrast = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const above = element => {
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.unshift(getComputedStyle(at));
    return chain;
  };
  const none = 'style, script, noscript, .katex, [aria-hidden=true], [disabled], ' +
    '[aria-disabled=true], [data-disabled=true]';
  const faint = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), element = walk.currentNode.parentElement;
    const box = element.getBoundingClientRect();
    if (!text || box.width < 2 || box.height < 2 || element.closest(none)) continue;
    const onCells = element.closest('.textpoint') &&
      element.closest('.js-plotly-plot').querySelector('.hm');
    if (onCells) continue;  // by cells.ink, which has a test of its own
    const styles = above(element), last = styles[styles.length - 1];
    const drawn = read(element instanceof SVGElement ? last.fill : last.color);
    styles.forEach(style => drawn[3] *= +style.opacity);
    const ground = styles.reduce(
      (ground, style) => over(read(style.backgroundColor), ground), [255, 255, 255, 1]);
    const value = contrast(over(drawn, ground), ground);
    if (drawn[3] > 0.05 && value < least) faint.push(`${text.slice(0, 40)}: ${value.toFixed(2)}`);
  }
  return faint;
}"""


THEMES = ("light", "dark")


@pytest.mark.parametrize("theme", THEMES)
def test_text_stands_out_on_every_page(filled_home, server, page, theme):
    page.emulate_media(color_scheme=theme)
    for file, start in CASES if WHOLE else CASES[THEMES.index(theme) :: len(THEMES)]:
        name = "" if file.stem == "app" else file.stem
        page.goto(f"{server.address}/{name}?{urlencode({'runs': '1,2', 'run': '2'} | start)}")
        page.locator("h1").wait_for()
        settle(page)
        assert page.evaluate(FAINT, LEAST) == [], (name, start)
    assert not server.complaints()
