"""The recorded demo is read once while its file stays as it is."""

import os

from core.analysis import demo


def test_the_recording_is_read_again_only_where_its_file_has_changed(tmp_path, monkeypatch) -> None:
    file, read = tmp_path / "demo.json.xz", []
    monkeypatch.setattr(demo, "DEMO_FILE", file)
    monkeypatch.setattr(demo, "load", lambda path: read.append(path) or (len(read),))
    file.write_bytes(b"first")
    os.utime(file, ns=(1, 10**9))
    assert (demo.recorded(), demo.recorded()) == ((1,), (1,))
    os.utime(file, ns=(1, 2 * 10**9))
    assert demo.recorded() == (2,)
    file.unlink()  # `load` says that it is missing
    assert demo.recorded() == (3,)
    assert read == [file] * 3
