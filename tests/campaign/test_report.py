"""The campaign's table and its place in a page."""

from pathlib import Path

from tests.campaign.report import HEADING, Outcome, table, write

PAGE = f"# Measured\n\n## Before\n\nkept\n\n{HEADING}\n\nold\n\n| a |\n\n## After\n\nkept too\n"


def test_the_table_takes_the_place_of_the_old_one_alone(tmp_path: Path) -> None:
    bad, untried = Outcome("cut", "a `file` | cut"), Outcome("soak", "polled")
    for seed in range(3):
        bad.add(seed, seed != 1, 2.0)
    assert table([bad, untried]).splitlines()[2:] == [
        r"| a `file` \| cut | `cut` | 0 to 2 | 3 | 2 | 2.0 | seed 1 |"
    ]
    file = tmp_path / "measured.md"
    file.write_text(PAGE)
    for _ in range(2):  # once more changes nothing
        write(file, "python -m tests.campaign", [bad])
        before, after = file.read_text().split(table([bad]))
        assert before.startswith(f"# Measured\n\n## Before\n\nkept\n\n{HEADING}\n\nWritten by `")
        assert after == "\n## After\n\nkept too\n"
