"""Text files: delimiters, quotes, encodings, packing, and what goes wrong with them."""

import bz2
import gzip
import io

import numpy as np
import pytest

from tamis.errors import ParameterError, TableError
from tamis.table import read

_ROWS = [("Zoë, the first", 1.5, "a"), ("O'Hara", -2.25, "b"), ("Müller", 3.0, "a"), ("Zoë, the first", 4.5, "b")]


def written(delimiter=",", quote='"', end="\n", decimal="."):
    lines = [delimiter.join(["name", "size", "group"])]
    for name, size, group in _ROWS:
        lines.append(delimiter.join([f"{quote}{name}{quote}", str(size).replace(".", decimal), group]))
    return end.join(lines) + end


def saved(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.fixture(scope="module")
def expected():
    return read({"name": [r[0] for r in _ROWS], "size": [r[1] for r in _ROWS], "group": [r[2] for r in _ROWS]}).digest()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ":", "~", "^", "\x1f"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_delimiter_and_line_end(tmp_path, expected, delimiter, end):
    """A file from another program would come out as one wide column."""
    assert read(saved(tmp_path, written(delimiter, end=end).encode())).digest() == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"])
def test_any_encoding(tmp_path, expected, encoding):
    """Letters with accents would be garbled, or the file refused."""
    assert read(saved(tmp_path, written().encode(encoding))).digest() == expected


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_files_under_any_name(tmp_path, expected, pack):
    """A packed file would have to be unpacked by hand."""
    assert read(saved(tmp_path, pack(written("\t").encode()), "table.tsv.gz")).digest() == expected
    assert read(saved(tmp_path, pack(written().encode()), "table.csv")).digest() == expected


def test_decimal_comma(tmp_path, expected):
    """Numbers of half the world would become text."""
    table = read(saved(tmp_path, written(";", decimal=",").encode()))
    assert table.digest() == expected
    assert "decimal comma" in table.decisions[1].reason


def test_decimal_comma_and_thousands_in_doubt(tmp_path):
    """1,234 would be read as 1.234 in a comma file or as 1234 where the user says decimal comma."""
    path = saved(tmp_path, b"a;b\n1,234;x\n2,345;y\n")
    assert read(path).column("a").values.tolist() == [1.234, 2.345]  # a semicolon goes with decimal commas
    assert read(path, decimal=".").column("a").values.tolist() == [1234.0, 2345.0]
    commas = saved(tmp_path, b'a,b\n"1,234",x\n"2,345",y\n')
    assert read(commas).column("a").values.tolist() == [1234.0, 2345.0]
    assert read(commas, decimal=",").column("a").values.tolist() == [1.234, 2.345]


def test_single_quotes(tmp_path):
    """Quotes would stay part of the values."""
    text = "'a','b'\n'x, y',1.5\n'z',2.5\n'x, y',3.5\n"
    assert read(saved(tmp_path, text.encode())).column("a").levels == ("x, y", "z")


def test_quotes_within_quotes_and_line_ends_within_values(tmp_path):
    """A value with a quote or a line end would break its row."""
    text = 'a,b\n"say ""yes""",1.5\n"two\nlines",2.5\n"say ""yes""",3.5\n'
    assert read(saved(tmp_path, text.encode())).column("a").levels == ('say "yes"', "two\nlines")
    escaped = 'a,b\n"say \\"yes\\"",1.5\n"no",2.5\n'
    assert read(saved(tmp_path, escaped.encode())).column("a").levels == ("no", 'say "yes"')


def test_a_quote_inside_a_value_is_not_an_open_one(tmp_path):
    """A file with an inch sign and a value of two lines would be refused."""
    text = 'a,b\n5" pipe,1.5\n"two\nlines",2.5\n5" pipe,3.5\n3" pipe,2.5\n'
    assert read(saved(tmp_path, text.encode())).column("a").levels == ('3" pipe', '5" pipe', "two\nlines")


def test_surprises_beyond_the_first_look(tmp_path):
    """A long file would be refused for what only its last rows hold: words, other letters, quoted line ends."""
    n = 60_000
    lines = [f"{i % 90}.5,2020-01-{1 + i % 28:02d},word{i % 5},{i % 17},u{i % 3}" for i in range(n)]
    lines[-40_000] = "high,2020-01-01,word1,3,u1"  # not the end of a bit that is looked at
    lines[-39_000] = "1.5,soon,word1,3,u1"
    lines[-38_000] = '1.5,2020-01-01,"two\nlines",3,u1'
    lines[-37_000] = "1.5,2020-01-01,word1,3,Zoë"
    text = "size,when,word,n,letter\n" + "\n".join(lines)
    for encoding in ("utf-8", "latin-1"):
        table = read(saved(tmp_path, text.encode(encoding)))
        assert table.n_rows == n
        assert [d.kind for d in table.decisions] == [
            "categorical",
            "categorical",
            "categorical",
            "numeric",
            "categorical",
        ]
        assert "two\nlines" in table.column("word").levels
        assert "Zoë" in table.column("letter").levels
        assert "row 21,001 holds 'soon'" in table.decisions[1].note


def test_long_and_short_files_are_read_alike(tmp_path):
    """A column would change its kind because the file is longer than the first look."""
    rng = np.random.default_rng(0)
    rows = [
        f"{rng.integers(0, 5)},{rng.normal():.3f},{'NA' if i % 7 == 0 else 'word' + str(i % 3)},"
        f"{['DE', 'FR', 'US', 'NA'][i % 4]},2021-0{1 + i % 9}-11,{['yes', 'no', ''][i % 3]},{i % 40:02d}"
        for i in range(500)
    ]
    head = "n,x,word,country,when,flag,code\n"
    short = read(io.StringIO(head + "\n".join(rows)))
    long = read(saved(tmp_path, (head + "\n".join(rows * 100) + "\n").encode()))
    assert [(d.name, d.kind) for d in short.decisions] == [(d.name, d.kind) for d in long.decisions]
    assert long.take(np.arange(500)).digest() == short.digest()
    packed = read(saved(tmp_path, gzip.compress((head + "\n".join(rows * 100) + "\n").encode()), "t.csv.gz"))
    assert packed.digest() == long.digest()


def test_wide_files(tmp_path):
    """A table with more columns than the first look holds would fail or crawl."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 7_000)).round(4)
    text = ",".join(f"gene{j}" for j in range(7_000)) + "\n" + "\n".join(",".join(map(str, row)) for row in X)
    table = read(saved(tmp_path, text.encode()))
    np.testing.assert_array_equal(table.numbers(), X)


def test_names_from_odd_headers(tmp_path):
    """An unnamed index column, R's row names or blank lines on top would shift the names."""
    assert read(io.StringIO(",a,b\n0,1.5,x\n1,2.5,y\n")).decisions[0].name == "column 1"
    by_r = read(io.StringIO('"a" "b"\n"r1" 1.5 "x"\n"r2" 2.5 "y"\n"r3" 3.5 "x"\n'))
    assert [d.name for d in by_r.decisions] == ["row names", "a", "b"]
    assert by_r.column("a").values.tolist() == [1.5, 2.5, 3.5]
    assert read(io.StringIO("\n\n a , b \n1.5,x\n2.5,y\n")).names == ("a", "b")


def test_a_file_without_names_is_not_guessed(tmp_path):
    """The first row would vanish into the names."""
    path = saved(tmp_path, b"5.1,3.5,1\n4.9,3.0,2\n4.7,3.2,1\n")
    with pytest.raises(TableError, match=r"holds numbers only \(5\.1, 3\.5, 1\); give header=False"):
        read(path)
    assert read(path, header=False).shape == (3, 3)
    assert read(path, header=True).names == ("5.1", "3.5", "1")
    assert read(io.StringIO("400,401,402\n0.1,0.2,0.3\n0.2,0.3,0.1\n")).names == ("400", "401", "402")


def test_a_single_column_keeps_its_empty_lines():
    """A missing value of a one-column file would drop its row."""
    assert np.isnan(read(io.StringIO("x\n1.5\n\n2.5\n")).column("x").values).tolist() == [False, True, False]


def test_one_row_is_a_table():
    """A single row to predict could not be read."""
    for options in ({}, {"types": "a=numeric,b=categorical"}):
        table = read(io.StringIO("a,b\n1.5,x\n"), **options)
        assert [column.kind for column in table.columns] == ["numeric", "categorical"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty; give a file with a header and rows"),
        (b"\n \n", "is empty; give a file with a header and rows"),
        (b"a,b\n", "has names but no rows"),
        (b"a,b", "has names but no rows"),
        (b'a,b\n1,x\n2,"y\n3,z\n4,w\n', r"a quote opened in line 3 of .* is never closed"),
        (b"a,b,a\n1,2,3\n", "the column name 'a' appears more than once"),
        (b"a,b\n1,2\n3,4,5\n6,7\n", r"line 3 of .* has 3 values, but there are 2 columns"),
        (b"a,b\nx,2\n\n\nx\n", r"line 5 of .* has 1 value, but there are 2 columns"),
        (bytes(range(256)) * 8, "holds no text"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "holds no text"),
        (b"\x1f\x8bnot packed at all", "is not sound gzip data"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 5_000, mtime=0)[:-20], "is not sound gzip data"),
        (b"\xd0\xcf\x11\xe0 old", "Excel file of the old kind"),
        (b"PAR1 broken", "is not a sound Parquet file"),
        (b"ARROW1 broken", "is not a sound Feather file"),
        (b"PK\x03\x04 broken", "is not a sound Excel workbook"),
        (b"SQLite format 3\0", r"give sqlite:///.* as the source, and query="),
        (b"a,b\nm,k\nm,k\nm,k\n", r"every column was left out \(column 'a' left out: constant, .* and 1 more\)"),
    ],
)
def test_bad_files_each_have_their_sentence(tmp_path, content, sentence):
    """A traceback from the depths of a library would reach the user."""
    with pytest.raises(TableError, match=sentence):
        read(saved(tmp_path, content))


def test_bad_paths_each_have_their_sentence(tmp_path):
    """A misspelt path would give a traceback."""
    saved(tmp_path, b"a,b\n1,2\n", "patients.csv")
    with pytest.raises(TableError, match=r"there is no file '.*patient\.csv' \(did you mean 'patients\.csv'\?\)"):
        read(tmp_path / "patient.csv")
    with pytest.raises(TableError, match="nor a folder"):
        read(tmp_path / "no" / "such.csv")
    with pytest.raises(TableError, match="is not a Parquet file, whatever its name says"):
        read(saved(tmp_path, b"a,b\n1,2\n", "t.parquet"))


def test_a_wrong_encoding_given_says_so(tmp_path):
    """Garbled letters would be taken for the user's."""
    path = saved(tmp_path, written().encode("latin-1"))
    with pytest.raises(TableError, match=r"is not utf8 text .* give its encoding="):
        read(path, encoding="utf-8")
    with pytest.raises(ParameterError, match="encoding='klingon' is not known"):
        read(path, encoding="klingon")
    with pytest.raises(ParameterError, match="delimiter=',,' must be one character"):
        read(path, delimiter=",,")


def test_absent_target_suggests_the_nearest():
    """A misspelt target would end in a KeyError."""
    with pytest.raises(TableError, match=r"no target column 'outcom' \(did you mean 'outcome'\?\)"):
        read(io.StringIO("outcome,x\n1,2.5\n2,3.5\n"), target="outcom")
