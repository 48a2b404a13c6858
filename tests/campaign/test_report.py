"""The campaign's table and its place in a page."""

from tests.campaign.report import HEADING, WORDS, Outcome, table, write

PAGE = f"# Measured\n\n## Before\n\nkept\n\n{HEADING}\n\nold\n\n| a |\n\n## After\n\nkept too\n"


def test_the_table_takes_the_place_of_the_old_one_and_keeps_what_was_not_tried(tmp_path) -> None:
    cut, polled = Outcome("damaged_parser", "a `file` | cut"), Outcome("soak", "pages polled")
    for seed in range(3):
        cut.add(seed, seed != 1, 2.0)
    row = r"| a `file` \| cut | `damaged_parser` | 0 to 2 | 3 | 2 | 2.0 | seed 1 |"
    assert table([cut, polled]).splitlines()[2:] == [row]
    file = tmp_path / "measured.md"
    file.write_text(PAGE)
    for _ in range(2):  # once more changes nothing
        write(file, [cut])
        before, after = file.read_text().split(table([cut]))
        assert before == f"# Measured\n\n## Before\n\nkept\n\n{HEADING}\n\n{WORDS}\n"
        assert after == "\n## After\n\nkept too\n"
    polled.add(7, True, 1.0)
    write(file, [polled])
    soak = "| pages polled | `soak` | 7 | 1 | 1 | 1.0 | – |"
    assert f"{row}\n{soak}\n\n## After" in file.read_text()
