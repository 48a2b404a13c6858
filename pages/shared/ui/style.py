"""What the theme (.streamlit/config.toml) leaves open: rules of style that all pages share.

Streamlit draws the text of figures and of a selected segment in fainter colours than the theme's;
here it takes the theme's colour of text, so that all of it has a contrast of 4.5:1 and more.
"""

SHARE = 80  # percent of the colour of text that is in the text of figures
WIDE = 620  # pixels of a heat map that a phone is too narrow for: it is scrolled there
BESIDE = 1300  # pixels of a window that has room for two such heat maps side by side

_LAYOUT = """
.stMainBlockContainer { max-width: 80rem; }
.st-key-live [data-stale="true"] { opacity: 1 !important; transition: none !important; }
.stMainBlockContainer h1 { padding-bottom: 0.1rem; }
[data-testid="stSidebarUserContent"] { padding-top: 0 !important; }
[data-testid="stCheckbox"] [data-testid="stWidgetLabel"] * { white-space: normal !important; }
[data-testid="stMetricValue"] * { white-space: normal !important; }
"""
_CONTRAST = f"""
.js-plotly-plot text:not(.textpoint text),
.js-plotly-plot:not(:has(.hm)) .textpoint text {{
  fill: color-mix(in srgb, currentColor {SHARE}%, transparent) !important;
}}
[data-testid="stButtonGroup"] [data-selected="true"] {{ color: inherit !important; }}
[data-testid="stCaptionContainer"] code {{ color: inherit; opacity: 1; background: none; }}
"""
_NARROW = f"""
@media (max-width: {BESIDE}px) {{
  [data-testid="stColumn"]:has([class*="st-key-wide"]) {{ min-width: calc(100% - 1.5rem); }}
}}
@media (max-width: 640px) {{
  .stMainBlockContainer {{ padding-top: 4rem; }}
  [data-testid="stButtonGroup"] [role="radiogroup"] {{ flex-wrap: wrap; overflow: visible; }}
  [class*="st-key-wide"] {{ overflow-x: auto; }}
  [class*="st-key-wide"] > * {{ min-width: {WIDE}px !important; }}
}}
"""
STYLE = f"<style>{_LAYOUT}{_CONTRAST}{_NARROW}</style>"
