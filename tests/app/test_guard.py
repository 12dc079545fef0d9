"""Who may ask for what: twelve hostile requests, each refused, and what the answers allow."""

from __future__ import annotations

import csv
import io
import json
import socket
import zipfile

import numpy as np
import pytest

from tamis.app.guard import without_paths

#: Of the server of the tests (conftest.py).
MOST = 4_000_000


def refused(app, method, path, body=None, headers=None):
    """The status and the sentence of a refusal, which shows nothing and changes nothing."""
    before = sorted(path.name for path in (app.folder.path / "tables").iterdir())
    status, found, text = app.client.ask(method, path, body, headers)
    assert status >= 400
    assert "Access-Control-Allow-Origin" not in found
    assert sorted(path.name for path in (app.folder.path / "tables").iterdir()) == before
    return status, json.loads(text)["error"]


def test_the_apps_own_page_is_answered(app):
    """The requests below could be refused for any reason at all."""
    status, headers, text = app.client.ask("GET", "/", headers={"Sec-Fetch-Site": "none"})
    assert status == 200
    assert b"Which columns matter" in text
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert app.client.ask("GET", "/", headers={"Host": f"localhost:{app.port}"})[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", "127.0.0.1:{port}.evil"]
)
def test_1_a_foreign_host(app, host):
    """A name of somebody else made to point at 127.0.0.1 would let their page read everything."""
    for path in ("/", "/enter?token=x", "/static/app.js"):
        assert refused(app, "GET", path, headers={"Host": host.format(port=app.port)})[0] == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", None, "http://127.0.0.1:1", "https://127.0.0.1:{port}"]
)
def test_2_a_form_of_another_site(app, origin):
    """A page the user has open elsewhere, even on another port of this machine, could change or delete studies."""
    sent = {"Origin": origin and origin.format(port=app.port), "Content-Type": "application/x-www-form-urlencoded"}
    for header in ("1", None):
        assert refused(app, "POST", "/api/demo", b"a=1", {**sent, "X-Tamis-App": header})[0] == 403
    assert refused(app, "GET", "/", headers={"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert refused(app, "GET", "/", headers={"Sec-Fetch-Site": "same-site"})[0] == 403


def test_3_json_sent_as_text(app):
    """A form can send JSON as text/plain without asking first."""
    body = json.dumps({}).encode()
    assert refused(app, "POST", "/api/demo", body, {"Content-Type": "text/plain"})[0] == 415
    assert refused(app, "POST", "/api/demo", body, {"Content-Type": "text/plain", "X-Tamis-App": None})[0] == 403
    assert refused(app, "POST", "/api/upload?name=a.csv", body, {"Content-Type": "text/plain"})[0] == 415
    assert refused(app, "POST", "/api/demo", b"[1]", {"Content-Type": "application/json"})[0] == 400


def test_4_no_token(app):
    """Another user of the machine could come in."""
    for cookie in (None, "", f"tamis-{app.port}=", f"tamis-{app.port}={'0' * 64}", f"tamis={app.client.session}"):
        for method, path in (
            ("GET", "/"),
            ("GET", "/compare"),
            ("POST", "/api/demo"),
            ("DELETE", f"/api/table/{'0' * 16}"),
        ):
            assert refused(app, method, path, {} if method == "POST" else None, {"Cookie": cookie})[0] == 401
    assert refused(app, "GET", "/enter", headers={"Cookie": None})[0] == 401
    token = app.folder.invite("http://127.0.0.1:1").stem
    status, headers, _ = app.client.ask("GET", f"/enter?token={token}", headers={"Cookie": None})
    assert status == 200
    cookie = headers["Set-Cookie"]
    assert cookie.startswith(f"tamis-{app.port}={app.client.session};")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Domain" not in cookie
    assert refused(app, "GET", f"/enter?token={token}", headers={"Cookie": None})[0] == 401


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../guard.py",
        "/static/..%2f..%2fguard.py",
        "/static/app.js%00",
        "/static/",
        "/study/../session",
        "/study/..%2f..%2fsession/report",
        "/study/{study}/../{study}/results.json",
        "/study/{study}/report/../../session",
        "/study/{study}/journal.jsonl",
        "/table/{table}/table.csv",
        "/api/table/{table}/columns/../../../session",
        "//etc/passwd",
        "/session",
    ],
)
def test_5_a_path_that_leads_out(app, finished, path):
    """Files of the user, or of the app's folder, could be read."""
    path = path.format(study=finished.study, table=finished.table)
    assert refused(app, "GET", path)[0] == 404


def test_5_a_name_of_an_upload_is_never_a_path(app, patients):
    """A file could be written anywhere."""
    name = "..%2f..%2f..%2f..%2fevil.csv"
    table = app.client.json("POST", f"/api/upload?name={name}", patients.read_bytes())["table"]
    place = app.folder.path / "tables" / table
    assert {file.name for file in place.iterdir()} == {".tamis-app", "about.json", "table.csv"}
    assert not list(app.folder.path.parent.rglob("*evil*"))
    assert json.loads((place / "about.json").read_text())["name"] == "evil.csv"
    app.client.json("DELETE", f"/api/table/{table}")


def test_6_an_upload_that_is_too_large(app):
    """The disk, or the memory, could be filled."""
    announced = {"Content-Length": str(10**12)}
    assert refused(app, "POST", "/api/upload?name=a.csv", b"a,b\n", announced)[0] == 413
    status, said = refused(app, "POST", "/api/upload?name=a.csv", b"1,2\n" * (MOST // 4 + 1))
    assert status == 413
    assert "takes 3.8 MB at most" in said
    piece = b"1,2,3,4\n" * 12_500
    pieces = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for _ in range(45)) + b"0\r\n\r\n"
    status, said = refused(app, "POST", "/api/upload?name=a.csv", pieces, {"Transfer-Encoding": "chunked"})
    assert status == 413
    assert app.client.ask("POST", "/api/demo", {"a": "b" * 2_000_000})[0] >= 400  # by Tornado, with or without a word


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"MZ\x90\x00\x03\x00\x00\x00", "is no text"),
        ("a.csv", b"PK\x03\x04rest", "is an Excel workbook or another zip file, whatever its name says"),
        ("a.csv", b"%PDF-1.7", "is a PDF"),
        ("a.csv", b"<!doctype html><script>1</script>", "is a web page"),
        ("a.xlsx", b"a,b\n1,2\n", "is text, whatever its name says"),
        ("a.parquet", b"PAR1rest", "no sound Parquet file"),
        ("a.xls", b"\xd0\xcf\x11\xe0", "files ending in .xls are not taken"),
        ("a.exe", b"a,b\n1,2\n", "files ending in .exe are not taken"),
        ("a.csv.gz", b"\x1f\x8b", "files ending in .gz are not taken"),
        ("a", b"a,b\n1,2\n", "files without an ending are not taken"),
        ("a.csv", b"  \n", "is empty"),
    ],
)
def test_7_a_file_that_is_something_else(app, name, content, said):
    """A program, a page or a packed file could be kept as a table."""
    status, found = refused(app, "POST", f"/api/upload?name={name}", content)
    assert status == 400
    assert said in found


def workbook(**parts):
    """A zip file with parts of a workbook."""
    text = io.BytesIO()
    with zipfile.ZipFile(text, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return text.getvalue()


def test_8_a_zip_bomb(app):
    """A small file could fill the memory."""
    bomb = workbook(**{"xl/worksheets/sheet1.xml": b"0" * 40_000_000})
    assert len(bomb) < 1_000_000
    status, said = refused(app, "POST", "/api/upload?name=a.xlsx", bomb)
    assert status == 400
    assert "would unpack to 40 MB" in said
    laughs = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'
    for content in (laughs, laughs.decode().encode("utf-16")):
        status, said = refused(app, "POST", "/api/upload?name=a.xlsx", workbook(**{"xl/workbook.xml": content}))
        assert status == 400
        assert "declares entities" in said
    many = workbook(**{f"part {k}": b"" for k in range(5_001)})
    assert "5,001 parts" in refused(app, "POST", "/api/upload?name=a.xlsx", many)[1]


def test_8_one_cell_in_the_last_corner_of_a_sheet(app, tmp_path, monkeypatch):
    """A sheet of two cells could claim 17 billion."""
    monkeypatch.setattr("tamis.table.sources.excel.MOST_CELLS", 5_000_000)
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", 1
    book.save(tmp_path / "corner.xlsx")
    status, said = refused(app, "POST", "/api/upload?name=a.xlsx", (tmp_path / "corner.xlsx").read_bytes())
    assert status == 400
    assert "spans more than 5,000,000 cells" in said


def test_8_a_parquet_file_of_too_many_values(app, tmp_path, monkeypatch):
    """A file of a few kilobytes can hold a billion equal values."""
    monkeypatch.setattr("tamis.app.tables.parquet.MOST_VALUES", 5_000_000)
    import pyarrow as pa
    import pyarrow.parquet as pq

    codes = pa.array(np.zeros(6_000_000, dtype=np.int32))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x"]))
    pq.write_table(pa.table({"a": column}), tmp_path / "bomb.parquet", row_group_size=6_000_000)
    content = (tmp_path / "bomb.parquet").read_bytes()
    assert len(content) < 100_000
    status, said = refused(app, "POST", "/api/upload?name=a.parquet", content)
    assert status == 400
    assert "claims 6,000,000 rows" in said


def test_9_names_with_scripts_are_escaped_where_pages_are_written(app, tmp_path):
    """A column's or a file's name would run in the page; in a browser, see test_browser.py."""
    from_file = tmp_path / "x.csv"
    from_file.write_text("b,<script>alert(1)</script>\n1,2\n3,4\n", encoding="utf-8")
    table = app.client.upload(from_file, "%3Cimg%20src=x%20onerror=alert(2)%3E.csv")
    for path in ("/", f"/table/{table}"):
        text = app.client.ask("GET", path)[2].decode()
        assert "<img src=x" not in text
        assert "&lt;img src=x onerror=alert(2)&gt;.csv" in text
    status, headers, _ = app.client.ask("GET", f"/api/table/{table}/columns")
    assert status == 200
    assert headers["Content-Type"].startswith("application/json")
    app.client.json("DELETE", f"/api/table/{table}")


def test_10_formulas_in_the_download(app, finished, patients, tmp_path):
    """A spreadsheet would run what somebody wrote into a table."""
    rows = list(csv.DictReader(patients.read_text(encoding="utf-8").splitlines()))[:30]
    formulas = ["=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    for k, row in enumerate(rows):
        writer.writerow(row | {"patient": formulas[k % len(formulas)], "ward": formulas[0] if k == 3 else row["ward"]})
    path = f"/api/study/{finished.study}/predict?name=new.csv&id=patient"
    found = app.client.json("POST", path, text.getvalue().encode())
    assert found["count"] == 30
    status, headers, content = app.client.ask("GET", f"/study/{finished.study}/predictions.csv")
    assert status == 200
    assert headers["Content-Type"].startswith("text/csv")
    assert headers["Content-Disposition"] == 'attachment; filename="predictions.csv"'
    cells = [cell for row in csv.reader(io.StringIO(content.decode())) for cell in row]
    assert any(cell.startswith("'=cmd") for cell in cells)
    for cell in cells:
        assert not cell.startswith(("=", "+", "@", "\t", "\r"))
        assert not cell.startswith("-") or float(cell) < 0
    assert not list(finished.place.glob("new-*"))


def test_11_the_event_stream_without_a_cookie(app, finished):
    """Progress, with names and scores, could be read by anybody on the machine."""
    assert refused(app, "GET", f"/study/{finished.study}/events", headers={"Cookie": None})[0] == 401
    assert refused(app, "GET", f"/study/{finished.study}/report", headers={"Cookie": None})[0] == 401
    assert refused(app, "GET", f"/study/{finished.study}/events", headers={"Sec-Fetch-Site": "same-site"})[0] == 403


def test_12_an_opening_that_is_sent_again(app, finished):
    """A replayed request would open the lock a second time, without a question."""
    study, ledger = f"/api/study/{finished.study}", finished.place / "ledger.jsonl"
    for code in (None, "", 7, "0" * 32):
        assert refused(app, "POST", f"{study}/open", {"code": code})[0] == 409
    assert not ledger.exists()
    asked = app.client.json("POST", f"{study}/question", {})
    assert "only this first opening is independent" in asked["question"]
    other = app.client.json("POST", f"{study}/question", {})["code"]
    assert refused(app, "POST", f"/api/study/{'0' * 16}/open", {"code": other})[0] == 404
    opened = app.client.json("POST", f"{study}/open", {"code": asked["code"]})
    assert opened["independent"]
    assert refused(app, "POST", f"{study}/open", {"code": asked["code"]})[0] == 409
    assert len(ledger.read_text().splitlines()) == 1
    again = app.client.json("POST", f"{study}/question", {})
    assert "looked at once before" in again["question"]
    assert not app.client.json("POST", f"{study}/open", {"code": again["code"]})["independent"]


def test_the_report_is_shown_in_an_origin_of_its_own(app, finished):
    """A script that slipped into a report could act as the app."""
    status, headers, text = app.client.ask("GET", f"/study/{finished.study}/report")
    assert status == 200
    assert text == (finished.place / "report.html").read_bytes()
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts allow-downloads;")
    assert "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy


def test_a_refused_page_says_why_in_words(app):
    """Somebody whose cookie is gone would see braces."""
    status, headers, text = app.client.ask("GET", "/", headers={"Cookie": None, "Accept": "text/html"})
    assert status == 401
    assert headers["Content-Type"].startswith("text/html")
    assert b"type `tamis app` again" in text


def test_a_length_that_is_no_number_is_refused(app):
    """`Content-Length: abc` was an error of the server's own."""
    with socket.create_connection(("127.0.0.1", app.port), timeout=10) as connection:
        head = [
            "POST /api/upload?name=a.csv HTTP/1.1",
            f"Host: 127.0.0.1:{app.port}",
            f"Origin: http://127.0.0.1:{app.port}",
            f"Cookie: tamis-{app.port}={app.folder.session()}",
            "X-Tamis-App: 1",
            "Content-Type: application/octet-stream",
            "Content-Length: abc",
            "Connection: close",
        ]
        connection.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


def test_a_name_with_a_nul_is_refused_in_a_sentence(app, tmp_path):
    """No command line takes such a name: the study that was to leave it out was an error of the server's own."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    columns = {"a\0b": [i % 7 for i in range(60)], "c": [i / 3 for i in range(60)], "y": ["p", "q"] * 30}
    parquet.write_table(pa.table(columns), tmp_path / "n.parquet")
    table = app.client.upload(tmp_path / "n.parquet")
    app.client.choose(table, target="y", groups="a\0b")
    revision = app.client.json("GET", f"/api/table/{table}/columns")["revision"]
    status, said = refused(app, "POST", f"/api/table/{table}/study", {"revision": revision})
    assert status == 400
    assert "NUL character" in str(said)


def test_no_path_of_the_app_stands_in_a_sentence():
    """Where the app keeps its files means nothing to who dropped one."""
    place = "/home/me/my app/studies/0123456789abcdef"
    for said in (f"'{place}/running.lock' cannot be written", f"lock.json of '{place}' is damaged; run again"):
        assert "/home" not in without_paths(said)
    assert without_paths("'a/b' is no column") == "'a/b' is no column"
