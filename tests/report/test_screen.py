"""Words on the terminal."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from tamis.report import progress_bar, say_answer, say_columns, say_reading, show
from tamis.report.screen import MOST_SPECIAL, _Watch
from tamis.table import Decision


@pytest.fixture
def screen():
    return Console(file=io.StringIO(), width=120, highlight=False)


def said(screen: Console) -> str:
    return screen.file.getvalue()  # type: ignore[attr-defined]


def test_every_column_of_a_narrow_table_is_listed_with_its_reason(screen):
    """A decision about a column would not be printed."""
    say_columns(
        [
            Decision("id", "identifier", "every value is different", used=False),
            Decision("age", "numeric", "numbers", note="few"),
        ],
        screen,
    )
    lines = said(screen).splitlines()
    assert any(line.split() == ["id", "identifier", "no", "every", "value", "is", "different"] for line in lines)
    assert any(line.split() == ["age", "numeric", "yes", "numbers"] for line in lines)
    assert "age: few" in lines


def test_reasons_are_whole_at_eighty_characters():
    """Why a column was read as it was would end in an ellipsis, and nobody could look it up."""
    narrow = Console(file=io.StringIO(), width=80, highlight=False)
    reason = "all 690 values are whole numbers with commas between thousands from 1,018 to 95,000,000"
    columns = [Decision(f"a_rather_long_name_of_a_column_{i}", "categorical", reason) for i in range(50)]
    say_columns([*columns, Decision("id", "identifier", reason, used=False)], narrow)
    assert max(map(len, said(narrow).splitlines())) <= 80
    assert said(narrow).count("95,000,000") == 51
    assert len([line for line in said(narrow).splitlines() if line.strip()]) <= 3 + 51 * 4


def test_a_note_about_many_columns_is_said_once(screen):
    """Seven thousand columns of 0 and 1 would repeat one sentence."""
    say_columns([Decision(f"gene{i}", "numeric", "numbers", note="only 0 and 1") for i in range(7000)], screen)
    assert "gene0, gene1, gene2, gene3 and 6,996 more: only 0 and 1" in said(screen)
    assert said(screen).count("only 0 and 1") == 1


def test_a_wide_table_is_summarised(screen):
    """Seven thousand lines would run over the screen, or the one that matters would not be seen."""
    columns = [Decision(f"gene{i}", "numeric", "all 102 values are numbers") for i in range(7000)]
    columns += [Decision("id", "identifier", "every value is different", used=False)]
    columns += [Decision("stage", "numeric", "whole numbers", note="could be categories")]
    say_columns(columns, screen)
    text = said(screen)
    assert len(text.splitlines()) < 30
    assert "7,002 columns" in text
    assert "every value is different" in text
    assert "could be categories" in text
    assert "gene17" not in text


def test_many_columns_with_something_to_say_are_counted(screen):
    """Columns would be left out of the list without a word."""
    say_columns([Decision(f"c{i}", "text", "long", used=False) for i in range(100)], screen)
    assert f"and {100 - MOST_SPECIAL:,} more" in said(screen)


def test_no_name_can_command_the_terminal(screen, made):
    """A name could colour, erase or type on the reader's terminal, or be read as rich's markup."""
    say_columns([Decision(name, "numeric", name, note=name) for name in made.HOSTILE], screen)
    results = made.study(made.HOSTILE[::-1])
    say_answer(results, "/tmp/study", screen)
    text = said(screen)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]markup[/bold]" in text.replace("\n", "")


def test_the_answer_and_the_path_of_the_report_are_printed(screen, made):
    """The user would not learn the answer, or where to read on."""
    results = made.study()
    say_answer(results, "/a/very/long/" + "path/" * 40 + "study", screen)
    text = said(screen)
    assert "4 of 10 columns carry the signal" in text
    assert "113 of 569 rows were set aside as a test set. Run `tamis open` once" in " ".join(text.split())
    assert "path/study/report.html" in text


def test_a_score_that_is_not_to_be_quoted_is_not_repeated(screen, made):
    """The line below the answer would quote what the answer forbids."""
    results = made.study()
    say_answer(results, "s", screen)
    results["answer"]["interval_note"] = "cannot be bounded with 7 rows of class 'c0'; do not quote"
    bare = Console(width=200, file=io.StringIO())
    say_answer(results, "s", bare)
    assert "by nested cross-validation" in said(screen)
    assert "by nested cross-validation" not in said(bare)
    assert f"Model: {results['comparison']['chosen']}." in said(bare)


@pytest.mark.parametrize(
    ("inner", "nested", "is_optimistic"), [(0.9712, 0.96, True), (0.862, 0.8641, False), (0.86404, 0.86401, False)]
)
def test_plain_cross_validation_is_called_optimistic_where_it_is(made, inner, nested, is_optimistic):
    """On some tables it gives less than nested cross-validation, or the same figure."""
    results = made.study()
    results["comparison"].update(inner_score=inner, score=nested, optimism=inner - nested)
    wide = Console(width=300, file=io.StringIO())
    say_answer(results, "s", wide)
    assert "by plain cross-validation" in said(wide)
    assert ("too optimistic" in said(wide)) == is_optimistic


def test_a_partial_result_is_called_partial(screen, made):
    """A stopped run would look finished on the screen."""
    say_answer(made.stopped(), "study", screen)
    assert "PARTIAL: 12 of 61 tasks finished" in said(screen)


def test_time_left_counts_only_this_run():
    """After a resume the tasks of the run before would make the rest look instant."""
    clock = iter([0.0, 10.0, 20.0, 20.0]).__next__
    bar = SimpleNamespace(add_task=lambda *_, **__: 0, update=lambda *_, **fields: shown.append(fields["left"]))
    shown: list[str] = []
    watch = _Watch(bar, clock)
    watch.see(50, 61, "")
    watch.see(52, 61, "repeat 3 fold 1 tree")  # 2 tasks in 10 s, 9 to go
    assert shown == ["", "about 45 s left"]


def test_the_bar_shows_on_a_terminal_and_is_silent_elsewhere():
    """Logs would fill with bars, or a terminal would show none."""
    for terminal in (True, False):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
        with progress_bar(console=console) as progress:
            progress(1, 4, "")
            progress(2, 4, "repeat 1 fold 1 [bold]tree")
        assert ("2/4" in said(console)) == terminal
        assert ("[bold]tree" in said(console)) == terminal


def test_a_bar_that_is_not_wanted_says_nothing(capsys):
    """`--json` would be mixed with a progress bar."""
    with progress_bar(enabled=False) as progress:
        progress(1, 2, "x")
    assert capsys.readouterr() == ("", "")


def test_rows_without_a_target_are_counted(screen, made):
    """Whoever has a target with holes must know how many rows took no part."""
    results = made.study()
    results["data"]["without_target"] = 1234
    say_answer(results, "/tmp/study", screen)
    assert "1,234 unlocked rows have no value of" in said(screen)


def test_a_run_says_how_many_columns_it_uses_and_why_others_are_left_out(screen):
    """Thirty lines of "all values are numbers" would push the answer off the screen."""
    columns = [Decision(f"c{i}", "numeric", "numbers") for i in range(30)]
    columns += [Decision("id", "identifier", "every value is different", used=False), Decision("y", "boolean", "words")]
    say_reading([*columns, Decision("when", "date", "dates", note="two spellings")], screen, roles={"y": "target"})
    text = said(screen)
    assert "31 columns are used: 30 numeric, 1 date." in text
    assert "Target: y (boolean)." in text
    assert "every value is different" in text
    assert "when: two spellings" in text
    assert "c17" not in text


def test_the_ladder_stands_below_the_answer(screen, made):
    """The reader would not see what fewer columns, or a black box, score."""
    results = made.study()
    rung = {"score": 0.9, "interval": (0.85, 0.94), "chosen": False, "words": "a tree of 3 leaves"}
    rung |= {"procedure": "small-tree", "black_box": False, "loss": 0.1, "better": True}
    results["ladder"] = [{**rung, "columns": 1}, {**rung, "columns": 2, "chosen": True, "words": "a tree of 5 leaves"}]
    say_answer(results, "s", screen)
    lines = [line.split() for line in said(screen).splitlines()]
    assert ["1", "0.900", "0.850–0.940", "a", "tree", "of", "3", "leaves"] in lines
    assert show.short_metric(results["answer"]["metric"]) in said(screen)
    assert ["2", "0.900", "0.850–0.940", "a", "tree", "of", "5", "leaves", "chosen"] in lines
    assert "A row's score counts the choice of its kind of model" in said(screen)
    results["comparison"]["score"] = 0.9
    alike = Console(file=io.StringIO(), width=120)
    say_answer(results, "s", alike)
    assert "A row's score counts" not in said(alike)
