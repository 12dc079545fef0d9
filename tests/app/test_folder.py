"""The app's folder is the user's alone, and a token is good once."""

from __future__ import annotations

import os
import stat

import pytest

from tamis.app.folder import AppFolder, read_about, write_about
from tamis.errors import StudyError


def _mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_nobody_else_can_look_into_the_folder(tmp_path):
    """Another user of the machine could read uploads, the cookie or the token."""
    before = os.umask(0)
    try:
        folder = AppFolder(tmp_path / "app")
        folder.session()
        invitation = folder.invite("http://127.0.0.1:1")
        place = folder.new("tables", {"made": "2026"})
    finally:
        os.umask(before)
    assert _mode(folder.path) == _mode(folder.path / "studies") == _mode(place) == 0o700
    assert _mode(invitation) == _mode(folder.path / "session") == 0o600


def test_a_folder_that_the_app_did_not_make_is_left_as_it_is(tmp_path):
    """`--folder ~/project` deleted the user's own tables, studies and pages, and changed the folder's rights."""
    theirs = ["tables/raw/data.csv", "studies/first/results.json", "entry/index.html", "notes.txt"]
    for name in theirs:
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).write_text("mine")
    (tmp_path / "project").chmod(0o755)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StudyError, match="holds files that `tamis app` did not write; give --folder"):
        AppFolder(tmp_path / "project")
    assert sorted(tmp_path.rglob("*")) == before
    assert _mode(tmp_path / "project") == 0o755


def test_only_what_the_app_made_is_swept_out_of_its_own_folder(tmp_path):
    """A folder that somebody put beside the app's own would be gone at the next start."""
    folder = AppFolder(tmp_path / "app")
    theirs = [folder.path / "tables" / "mine", folder.path / "studies" / ("0" * 16), folder.path / "entry" / "x.html"]
    for path in theirs[:2]:
        path.mkdir()
    theirs[2].write_text("mine")
    linked, half = folder.path / "tables" / ("1" * 16), folder.new("tables", {})
    linked.symlink_to(theirs[0])
    again = AppFolder(tmp_path / "app")
    again.sweep()
    again.forget_invitations()
    assert all(path.exists() for path in (*theirs, linked))
    assert not half.exists()


def test_an_empty_folder_keeps_its_rights_and_what_is_inside_is_private(tmp_path):
    """A folder that exists is the user's: its rights are not for the app to change."""
    (tmp_path / "app").mkdir(mode=0o755)
    folder = AppFolder(tmp_path / "app")
    assert _mode(folder.path) == 0o755
    assert {_mode(folder.path / room) for room in ("entry", "tables", "studies")} == {0o700}
    assert AppFolder(tmp_path / "app").path == folder.path
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(StudyError, match="other users can write in the folder"):
        AppFolder(tmp_path / "open")


def test_a_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    """Whoever owns the folder could read what is put into it."""
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(StudyError, match="belongs to another user; give --folder"):
        AppFolder(tmp_path / "app")


def test_a_token_is_good_once_and_only_as_it_was_given(tmp_path):
    """A token seen in a history of addresses could be used again, or a path could be given as one."""
    folder = AppFolder(tmp_path)
    file = folder.invite("http://127.0.0.1:1")
    token = file.stem
    assert f"http://127.0.0.1:1/enter?token={token}" in file.read_text()
    (tmp_path / "entry" / "x.html").touch()
    for bad in ("", "x", "../session", token.upper(), token + "0", "0" * 64):
        assert not folder.admits(bad)
    assert folder.admits(token)
    assert not folder.admits(token)
    assert not file.exists()


def test_the_cookie_outlives_the_server(tmp_path):
    """A page that stays open would be a stranger to a server that was restarted."""
    assert AppFolder(tmp_path).session() == AppFolder(tmp_path).session()
    assert len(AppFolder(tmp_path).session()) == 64


def test_only_ids_lead_to_folders(tmp_path):
    """A path in place of an id could lead out of the app's folder."""
    folder = AppFolder(tmp_path / "app")
    write_about(tmp_path, {"secret": True})
    place = folder.new("studies", {"made": "2026", "table": "t"})
    assert folder.folder_of("studies", place.name) == place
    for bad in ("..", "../..", place.name + "/", place.name.upper(), "", "0" * 16):
        assert folder.folder_of("studies", bad) is None


def test_what_an_upload_that_never_ended_left_is_swept_away(tmp_path):
    """Half an upload would stay on the disk for good."""
    folder = AppFolder(tmp_path)
    half, whole = folder.new("tables", {}), folder.new("tables", {"made": "2026"})
    (half / "upload.part").write_bytes(b"x")
    folder.sweep()
    assert not half.exists()
    assert read_about(whole) == {"made": "2026"}


def test_a_deleted_table_leaves_nothing(tmp_path):
    """Somebody who deletes patients' data would still have them on the disk."""
    folder = AppFolder(tmp_path)
    place = folder.new("tables", {"made": "2026"})
    (place / "table.csv").write_text("a,b\n1,2\n")
    folder.delete(place)
    assert list((tmp_path / "tables").iterdir()) == []
