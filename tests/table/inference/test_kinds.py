"""What a column is taken for, from the text of its values, and the reason given."""

import io

import numpy as np
import pytest

from tamis.errors import TableError
from tamis.table import decision_rows, read


def table_of(**columns):
    """The columns written as CSV text, each cell as it stands, and read back."""
    names = list(columns)
    lines = [",".join(names)] + [",".join(str(cell) for cell in row) for row in zip(*columns.values())]
    return read(io.StringIO("\n".join(lines) + "\n"))


def decision(**columns):
    name = next(iter(columns))
    n = len(columns[name])
    table = table_of(**columns, filler=[f"{i % 7}.5" for i in range(n)])
    return next(d for d in table.decisions if d.name == name), table


def test_leading_zeros_stay_codes():
    """Postal code 01234 would become the number 1234."""
    found, table = decision(zip=["01234", "98765", "01234", "10001"] * 10)
    assert (found.kind, found.used) == ("categorical", True)
    assert "leading zeros" in found.reason
    assert table.column("zip").levels == ("01234", "10001", "98765")


def test_a_leading_zero_far_down_a_long_file_is_seen():
    """A first look at some rows would settle that codes are numbers."""
    n = 300_000
    lines = [f"{10_000 + i % 50_000},{i % 9}.25" for i in range(n)]
    lines[n - 123] = "01234,1.5"
    table = read(io.StringIO("zip,x\n" + "\n".join(lines)))
    found = table.decisions[0]
    assert found.kind == "identifier"
    assert "leading zeros" in found.reason


@pytest.mark.parametrize("text", ["0", "0.5", "-0.5", "1e5", ".5", "5.", "+3", " 7 ", "-0"])
def test_spellings_of_numbers_are_numbers(text):
    """A number written in another way would turn its column into categories."""
    found, table = decision(x=[text, "1", "2.5", "3"] * 5)
    assert found.kind == "numeric"
    assert table.column("x").values[0] == float(text)


def test_na_among_two_letter_codes_is_a_level():
    """Namibia would be lost as missing."""
    found, table = decision(country=["DE", "FR", "NA", "US", "", "FR"] * 10)
    column = table.column("country")
    assert column.levels == ("DE", "FR", "NA", "US")
    assert int(column.missing.sum()) == 10
    assert found.note.startswith("NA (10 rows) is a level, because")


def test_na_among_other_words_is_missing():
    """Missing answers would become a category called NA."""
    _, table = decision(colour=["red", "NA", "blue", "TA"] * 10)
    assert table.column("colour").levels == ("TA", "blue", "red")
    assert int(table.column("colour").missing.sum()) == 10


@pytest.mark.parametrize("token", ["", "NaN", "null", "NULL", "?", "n/a", "#N/A", "None", "-", "."])
def test_usual_tokens_are_missing_among_numbers(token):
    """A column of numbers with holes would become text."""
    found, table = decision(x=["1.5", token, "2.5", "3"] * 5)
    assert found.kind == "numeric"
    assert np.isnan(table.column("x").values[1])
    assert "missing in 5" in found.reason


def test_none_is_a_level_and_a_dash_is_missing_among_words():
    """No garage would be lost as missing, or a dash be missing in one column and a level in the next."""
    _, table = decision(garage=["None", "Attached", "-", "Attached"] * 5)
    assert table.column("garage").levels == ("Attached", "None")
    assert int(table.column("garage").missing.sum()) == 5


def test_a_dash_among_signs_is_a_level():
    """The minus strand of a genome would be lost as missing, here or in the next table that a model reads."""
    _, table = decision(strand=["+", "-", "+", "+"] * 5)
    assert table.column("strand").levels == ("+", "-")
    again = read({"strand": ["-", "+"] * 5, "y": [1.5, 2.5] * 5}, like=table.types)
    assert not again.column("strand").missing.any()


@pytest.mark.parametrize("words", [("ja", "nein"), ("Oui", "Non"), ("si", "no"), ("sí", "no"), ("Ja", "Nee")])
def test_yes_and_no_in_other_languages_are_booleans(words):
    """Answers of a German, French, Spanish, Italian or Dutch form would be two categories."""
    found, table = decision(answer=[words[0], words[1], words[1]] * 5)
    assert found.kind == "boolean"
    assert table.column("answer").values[0] == 1


def test_numbered_batches_have_no_order():
    """A note would offer batches, wards and sites as ordered words; stages and grades are."""
    batches, _ = decision(batch=["B1", "B2", "B3", "B4", "B5", "B6"] * 5)
    wards, _ = decision(ward=["ward 1", "ward 2", "ward 3"] * 5)
    stages, _ = decision(stage=["stage 1", "stage 2", "stage 3"] * 5)
    assert "order" not in batches.note
    assert "order" not in wards.note
    assert "order" in stages.note


@pytest.mark.parametrize(
    ("words", "levels"),
    [
        (("true", "false"), None),
        (("TRUE", "FALSE"), None),
        (("t", "f"), ("f", "t")),
        (("yes", "no"), ("no", "yes")),
        (("Y", "N"), ("N", "Y")),
    ],
)
def test_yes_and_no_become_one_and_zero(words, levels):
    """A boolean would be two unordered categories, or its words would be lost."""
    found, table = decision(flag=[words[0], words[1], "", words[0]] * 5)
    column = table.column("flag")
    assert (found.kind, column.kind, column.levels) == ("boolean", "boolean", levels)
    np.testing.assert_array_equal(column.values[:4], [1.0, 0.0, np.nan, 1.0])


def test_zero_and_one_stay_numbers_and_are_flagged():
    """The same column would be boolean from CSV and numeric from Parquet."""
    found, _ = decision(flag=[0, 1, 1, 0] * 5)
    assert (found.kind, found.note) == ("numeric", "only 0 and 1: could be yes or no")


def test_few_whole_numbers_are_flagged():
    """A column of codes 1, 2, 3 would be taken for a quantity without a word."""
    found, _ = decision(ward=[1, 2, 3, 2] * 10)
    assert (found.kind, found.note) == ("numeric", "only 3 different whole numbers: could be categories")
    assert decision(age=list(range(18, 58)))[0].note == ""


def test_row_numbers_are_left_out_with_a_sentence():
    """A model would learn from the order of the rows."""
    found, table = decision(id=list(range(1, 41)))
    assert not found.used
    assert "id" not in table.names
    assert found.sentence == (
        "column 'id' left out: identifier, every one of 40 values is different and they run 1, 2, 3, …"
    )
    shuffled, _ = decision(n=np.random.default_rng(0).permutation(40))
    assert (shuffled.kind, shuffled.used) == ("identifier", False)


def test_a_quantity_with_all_values_different_stays():
    """Incomes would be left out because no two are equal."""
    found, _ = decision(income=[1_000 + 37 * i * i for i in range(60)])
    assert (found.kind, found.used) == ("numeric", True)
    named, _ = decision(patient_id=[1_000 + 37 * i * i for i in range(60)])
    assert (named.kind, named.used) == ("identifier", False)


def test_a_year_that_runs_stays():
    """Fifty yearly rows would lose their year as a row number."""
    assert decision(year=list(range(1950, 2000)))[0].kind == "numeric"


def test_long_digits_are_not_rounded():
    """Account numbers above 2**53 would be rounded into each other."""
    accounts = [str(9_007_199_254_740_993 + i) for i in range(40)]
    found, _ = decision(account=accounts)
    assert (found.kind, found.used) == ("identifier", False)
    import pyarrow as pa

    typed = read(pa.table({"account": [int(a) for a in accounts], "x": np.arange(40) * 0.5}))
    assert typed.decisions[0].kind == "identifier"


def test_many_different_words_are_an_identifier_and_prose_is_text():
    """Names of people and free notes would become thousands of categories."""
    names, _ = decision(name=[f"person{i:04d}x" for i in range(50)])
    assert (names.kind, names.used) == ("identifier", False)
    prose, _ = decision(remark=[f"the patient came on day {i} and left" for i in range(50)])
    assert (prose.kind, prose.used) == ("text", False)
    many, _ = decision(word=[f"w{i % 1500}" for i in range(6000)])
    assert (many.kind, many.used) == ("identifier", False)


def test_a_long_column_of_different_words_is_left_out():
    """A million different texts would be collected as levels."""
    n = 120_000
    lines = "\n".join(f"k{i * 7919 % n:06d}q,{i % 9}.5" for i in range(n))
    found = read(io.StringIO("key,x\n" + lines)).decisions[0]
    assert (found.kind, found.used) == ("identifier", False)


def test_constant_and_empty_columns_are_left_out_each_with_its_sentence():
    """A column that says nothing would be carried along."""
    table = table_of(unit=["m"] * 20, one=[1] * 20, nothing=[""] * 20, x=[i * 0.5 for i in range(20)])
    assert table.names == ("x",)
    assert [d.sentence for d in table.decisions[:3]] == [
        "column 'unit' left out: constant, every one of 20 values is 'm'",
        "column 'one' left out: constant, every one of 20 values is 1",
        "column 'nothing' left out: constant, none of its 20 rows has a value",
    ]


def test_one_value_with_holes_stays():
    """That a value is there at all may be the signal."""
    assert decision(tested=["positive", ""] * 10)[0].kind == "categorical"


def test_nearly_numbers_say_how_to_read_them():
    """A single 'unknown' among numbers would leave the column out without a way back."""
    found, _ = decision(x=[f"{i}.5" for i in range(99)] + ["unknown"])
    assert not found.used
    assert "99% of the values are numbers" in found.note
    text = "x,y\n" + "\n".join([f"{i}.5,{i % 3}.5" for i in range(99)] + ["unknown,1.5"])
    assert read(io.StringIO(text), missing="unknown").column("x").kind == "numeric"


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e999"])
def test_infinite_values_are_refused_by_column_and_row(text):
    """Infinity would reach a model and turn everything into NaN."""
    with pytest.raises(TableError, match=r"column 'x' holds an infinite value .* in row 3"):
        table_of(x=["1.5", "2.5", text, "3"], y=[1, 2, 3, 4])


def test_decisions_print_as_rows_in_source_order():
    """The printed table would not match the file."""
    table = table_of(b=[1.5, 2.5], a=["x", "x"], c=[3.5, 4.5])
    assert [row[:3] for row in decision_rows(table.decisions)] == [
        ("b", "numeric", "yes"),
        ("a", "constant", "no"),
        ("c", "numeric", "yes"),
    ]


def test_take_select_and_drop_carry_decisions():
    """The report would lose the columns that were left out, or show those that were dropped."""
    table = table_of(a=["m"] * 20, when=[f"2020-01-{1 + i:02d}" for i in range(20)], y=[i % 3 + 0.5 for i in range(20)])
    assert [d.name for d in table.take([1, 2]).decisions] == ["a", "when", "y"]
    assert [d.name for d in table.drop(["y"]).decisions] == ["a", "when"]
    assert [d.name for d in table.select(["y"]).decisions] == ["a", "y"]
    assert [d.name for d in table.select(["when (month)"]).decisions] == ["a", "when"]


def test_the_target_is_never_left_out():
    """The column to be learned would vanish as an identifier, a constant or text."""
    lines = "\n".join(f"{i + 1},w{i},k,{i % 5}.5" for i in range(40))
    text = "id,word,same,x\n" + lines
    assert read(io.StringIO(text), target="id").column("id").kind == "numeric"
    assert read(io.StringIO(text), target="word").column("word").kind == "categorical"
    same = read(io.StringIO(text), target="same")
    assert same.column("same").levels == ("k",)
    assert "the target is kept" in next(d for d in same.decisions if d.name == "same").note


def test_a_date_target_is_one_column_of_days():
    """A date to be learned would become four targets, none with its name."""
    text = "when,x\n" + "\n".join(f"1970-01-{i + 2:02d},{i}.5" for i in range(20))
    assert read(io.StringIO(text), target="when").column("when").values[:2].tolist() == [1.0, 2.0]


def test_a_target_without_values_is_there_to_be_refused_by_its_user():
    """The study could not say that its target is empty."""
    table = read(io.StringIO("y,x\n,1.5\n,2.5\n"), target="y")
    assert np.isnan(table.column("y").values).all()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([*range(20), -999], "1 value is -999, far from the others (0 to 19)"),
        ([*(i / 7 for i in range(20)), 9999, 9999], "2 values are 9999"),
        ([*range(18, 90), 999], "1 value is 999"),
        ([*range(60, 110)], ""),  # 99 among its neighbours
        ([*range(0, 9000, 100), 9999], ""),
        ([*range(20), 5000], ""),  # far, but nobody's way of writing nothing
    ],
)
def test_numbers_that_stand_for_none_are_pointed_out(values, said):
    """-999 would be averaged with the temperatures without a word."""
    note = read({"x": values, "z": [0.5 * i for i in range(len(values))]}).decisions[0].note
    assert said in note
    assert bool(said) == bool(note)


@pytest.mark.parametrize(
    ("levels", "order"),
    [
        (["Low", "Very high", "Medium", "High"], "Low<Medium<High<Very high"),
        (["G5", "A1", "B2", "C3", "D4", "E5", "F1"], "A1<B2<C3<D4<E5<F1<G5"),
        (["stage 2", "stage 1", "stage 3"], "stage 1<stage 2<stage 3"),
        (["IV", "I", "III", "II"], "I<II<III<IV"),
        (["18-24", "65+", "25-64"], "18-24<25-64<65+"),
        (["strongly_agree", "agree", "disagree"], "disagree<agree<strongly_agree"),
        (["S", "XL", "M", "L"], "S<M<L<XL"),
    ],
)
def test_words_with_an_order_are_pointed_out(levels, order):
    """Grades would be taken for names without an order, and nobody told how to say otherwise."""
    table = read({"grade": levels * 10, "x": [0.5 * i for i in range(10 * len(levels))]})
    assert table.decisions[0].kind == "categorical"
    assert f"give grade=ordinal({order}) as its type" in table.decisions[0].note
    again = read(
        {"grade": levels * 10, "x": [0.5 * i for i in range(10 * len(levels))]}, types=f"grade=ordinal({order})"
    )
    assert again.column("grade").levels == tuple(order.split("<"))


@pytest.mark.parametrize(
    "levels",
    [
        ["red", "green", "blue"],
        ["low", "high", "blue"],
        ["low", "high"],
        ["K1", "P3", "X2"],  # products
        ["A100", "B200", "C300"],
        ["X", "V", "I"],  # letters
        ["0-10", "5-15", "20-30"],  # they overlap
        ["medium", "middle", "low"],  # two words for one place
    ],
)
def test_words_without_an_order_are_left_alone(levels):
    """Every colour would carry a note about an order it has not."""
    table = read({"grade": levels * 10, "x": [0.5 * i for i in range(10 * len(levels))]})
    assert table.decisions[0].note == ""
