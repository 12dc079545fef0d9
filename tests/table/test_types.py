"""Kinds given by the user, and a reading that follows an earlier one."""

import io
import json

import numpy as np
import pytest

from tamis.errors import KindError, ParameterError, TableError
from tamis.table import Table, read
from tamis.table.types import types_of

_TEXT = (
    "zip,age,size,flag,when,country\n"
    + "1234,007,small,1,03/04/2021,NA\n98765,40,large,0,04/05/2021,DE\n1234,,medium,1,05/06/2021,FR\n"
    + "5555,31,small,,06/07/2021,US\n"
)


def test_text_mapping_and_toml_say_the_same(tmp_path):
    """The same types would be read differently from the command line and from a file."""
    text = "zip=categorical,age=numeric,size=ordinal:small<medium<large"
    mapping = {"zip": "categorical", "age": {"kind": "numeric"}, "size": "ordinal:small<medium<large"}
    toml = tmp_path / "types.toml"
    toml.write_text(
        'zip = "categorical"\nage = "numeric"\n[size]\nkind = "ordinal"\nlevels = ["small", "medium", "large"]'
    )
    under = tmp_path / "under.toml"
    under.write_text('[types]\nzip = "categorical"\nage = "numeric"\nsize = "ordinal:small<medium<large"')
    assert types_of(text) == types_of(mapping) == types_of(toml) == types_of(str(under))


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("size=ordinal(small<medium<large)", ("small", "medium", "large")),
        ("size = ordinal (small < medium < large)", ("small", "medium", "large")),
        ("size=ordinal(1,5<2,5<3,5)", ("1,5", "2,5", "3,5")),
        ("size=ordinal(a=1<b=2)", ("a=1", "b=2")),
        ("zip=categorical,size=ordinal(A<B<C),age=numeric", ("A", "B", "C")),
        ("size=ordinal:A<B<C,age=numeric", ("A", "B", "C")),
    ],
)
def test_levels_may_stand_in_brackets(text, levels):
    """The way of saying an order that the notes show would not be understood."""
    found = types_of(text)
    assert found["size"].levels == levels
    assert found["size"].kind == "ordinal"
    assert len(found) == 1 + text.count("=numeric") + text.count("=categorical")


def test_names_may_hold_brackets():
    """A column whose name has a bracket could not be given a kind."""
    assert types_of("width (mm)=numeric,b=text").keys() == {"width (mm)", "b"}
    assert types_of("odd ( name=numeric,b=text").keys() == {"odd ( name", "b"}


def test_given_kinds_hold():
    """An override would be ignored."""
    table = read(
        io.StringIO(_TEXT),
        types="zip=categorical,age=numeric,size=ordinal:small<medium<large,flag=boolean,when=date,country=text",
    )
    assert table.column("zip").levels == ("1234", "5555", "98765")
    np.testing.assert_array_equal(table.column("age").values, [7, 40, np.nan, 31])
    assert table.column("size").values.tolist() == [0.0, 2.0, 1.0, 0.0]
    np.testing.assert_array_equal(table.column("flag").values, [1, 0, 1, np.nan])
    assert "when (year)" in table.names
    assert "country" not in table.names
    assert [d.reason for d in table.decisions] == ["given"] * 6


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        ("size=numeric", "column 'size' cannot be numeric: row 1 holds 'small'"),
        ("size=ordinal:small<medium", "column 'size' cannot be ordinal .* row 2 holds 'large'"),
        ("size=date", "column 'size' cannot be a date: row 1 holds 'small'"),
        ("age=boolean", "column 'age' cannot be boolean .* row 1 holds '007'"),
        ("country=boolean:DE<FR", r"column 'country' cannot be boolean \(DE or FR\): row 4 holds 'US'"),
        ("ag=numeric", r"there is no column 'ag' \(did you mean 'age'\?\)"),
    ],
)
def test_a_kind_that_cannot_hold_names_the_row(types, sentence):
    """The user would have to search for the value that breaks the override."""
    with pytest.raises(TableError, match=sentence):
        read(io.StringIO(_TEXT), types=types)


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        ("age=numerical", r"'numerical' is not known \(did you mean 'numeric'\?\)"),
        ("age", "'age' does not read as name=kind"),
        ("size=ordinal", "size=ordinal needs its levels"),
        ("size=ordinal:a<b<a", "the level 'a' more than once"),
        ("flag=boolean:a<b<c", "takes two levels"),
        ({"age": 3}, "age=3 must be a kind"),
        ({"age": {"kind": "numeric", "size": "years"}}, "unknown entry 'size'"),
        ({"age": {"kind": "numeric", "unit": 3}}, "unit of age is 3"),
        ({"age": {"kind": "date", "hour": "late"}}, "hour of age is 'late'"),
        (7, "types=7 must be a text"),
    ],
)
def test_unreadable_types_are_refused(types, sentence):
    """A slip in the types would change the table silently."""
    with pytest.raises(ParameterError, match=sentence):
        read(io.StringIO(_TEXT), types=types)


def test_unreadable_toml_is_refused(tmp_path):
    """A traceback of the TOML parser would reach the user."""
    with pytest.raises(TableError, match="cannot be read"):
        types_of(tmp_path / "absent.toml")
    (tmp_path / "bad.toml").write_text("age = ")
    with pytest.raises(TableError, match="is not valid TOML"):
        types_of(tmp_path / "bad.toml")


def test_the_target_cannot_be_given_away():
    """A target declared an identifier would leave nothing to learn."""
    with pytest.raises(ParameterError, match="the target 'age' cannot be identifier"):
        read(io.StringIO(_TEXT), types="age=identifier", target="age")


def test_a_later_reading_follows_an_earlier_one():
    """Rows to predict would get other kinds than the rows that were learned."""
    words = ["DE", "FR", "NA", "US"]
    lines = [
        f"{i + 1},{i % 4:03d},{words[i % 4]},0{1 + i % 9}/{1 + i % 28:02d}/2020,{['no', 'yes'][i % 2]},{i * 0.5},m"
        for i in range(60)
    ]
    head = "id,code,country,when,flag,x,unit\n"
    learned = read(io.StringIO(head + "\n".join(lines)))
    recipe = json.loads(json.dumps(learned.types))
    for rows in (lines[:1], lines[2:3], lines[5:9], [lines[0].replace(",m", ",km")]):
        new = read(io.StringIO(head + "\n".join(rows)), like=recipe)
        assert new.names == learned.names
        assert [column.kind for column in new.columns] == [column.kind for column in learned.columns]
    third = read(io.StringIO(head + lines[2]), like=learned)
    assert third.column("country").levels == ("NA",)
    assert third.column("flag").levels == ("no", "yes")
    assert third.column("when (month)").values.tolist() == learned.column("when (month)").values[2:3].tolist()
    without = read(io.StringIO("x,code\n1.5,001\n"), like=recipe)
    assert without.names == ("x", "code")


def test_missing_texts_can_be_added_and_kept():
    """-999 would be a number, or NA could never be a level."""
    text = "x,c\n-999,NA\n1.5,a\n2.5,b\n"
    assert np.isnan(read(io.StringIO(text), missing=["-999"]).column("x").values[0])
    kept = read(io.StringIO(text), types={"c": {"kind": "categorical", "keep": ["NA"]}})
    assert kept.column("c").levels == ("NA", "a", "b")
    with pytest.raises(ParameterError, match="must be a text, a list of values"):
        read(io.StringIO(text), missing=[None])


def test_a_table_passes_and_nonsense_does_not():
    """A table already read would be read again, or any object be taken for a path."""
    table = Table.of(np.eye(3))
    assert read(table) is table
    with pytest.raises(KindError, match="cannot be read from int"):
        read(3)
