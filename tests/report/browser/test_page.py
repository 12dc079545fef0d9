"""The report in a real browser."""

from __future__ import annotations

import json

import pytest

from tamis.report import page

pytestmark = pytest.mark.browser

KINDS_OF_STUDY = {
    "two classes": {},
    "three classes": {"labels": ("setosa", "versicolor", 3)},
    "numbers": {"labels": (), "metric": "rmse"},
}
CHARTS = {"two classes": 6, "three classes": 5, "numbers": 4}


@pytest.mark.parametrize("kind", KINDS_OF_STUDY)
def test_every_chart_is_drawn_in_silence_and_alone(made, opened, kind):
    """A chart stays empty, the console or the policy complains, or the page asks the network for something."""
    seen = opened(page(made.study(**KINDS_OF_STUDY[kind]), made.plan(), [made.opening()]))
    assert len(seen.drawn()) == CHARTS[kind]
    assert seen.complaints() == []
    assert seen.requests() == []


def test_the_policy_stops_what_is_not_ours(made, opened):
    """A script, a frame, a picture or eval that slipped into the page would be let through."""
    text = page(made.study(), made.plan())
    foreign = "<script>window.foreign = 1</script><img src='https://tamis.invalid/x.png'>"
    seen = opened(text.replace("</main>", foreign + "</main>"))
    seen.drawn()
    assert seen.run("window.foreign") is None
    assert {violation.split()[0] for violation in seen.run("window.violations")} == {"script-src-elem", "img-src"}
    # Not through the debugger, which may evaluate whatever it likes: a timer given text is an eval of the page's own.
    seen.run("setTimeout('window.evaluated = 1', 0); new Promise((done) => setTimeout(done, 50))")
    assert seen.run("window.evaluated") is None


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_names_are_shown_as_text(made, opened, width):
    """A column's or a class's name would be run, fetched, or read as markup, or would push the page out of shape."""
    columns = [made.decision(name, note=name, reason=name) for name in made.HOSTILE]
    results = made.study(made.HOSTILE, labels=tuple(made.HOSTILE[:2]), columns=columns)
    results["data"]["target"] = results["settings"]["target"] = made.HOSTILE[1]
    results["model"] = "\n".join(made.HOSTILE)
    seen = opened(page(results, made.plan(target=made.HOSTILE[1], drop=made.HOSTILE), [made.opening()]), width=width)
    seen.drawn()
    assert seen.dialogs() == []
    assert seen.complaints() == []
    assert seen.requests() == []
    assert seen.run("document.querySelectorAll('main img, main iframe, main a').length") == 0
    shown = seen.run("[...document.querySelectorAll('#columns tbody th .name')].map((e) => e.textContent)")
    assert set(made.HOSTILE[:5]) <= set(shown)
    assert r"turned \u202eround" in shown
    assert r"two\nlines\tand a tab" in shown
    assert len(shown) == len(made.HOSTILE)
    assert seen.run("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_hostile_name_under_the_pointer_is_text(made, opened):
    """A tooltip would read a column's name as HTML."""
    seen = opened(page(made.study(made.HOSTILE[1:]), made.plan()))
    seen.drawn()
    seen.run("document.getElementById('chart-stability').scrollIntoView({ block: 'center', behavior: 'instant' })")
    seen.run("var box = document.getElementById('chart-stability').getBoundingClientRect()")
    x, y, width = seen.run("[box.x, box.y, box.width]")
    tips = (
        "everywhere(document, '.bk-Tooltip').flatMap((tip) => everywhere(tip.shadowRoot, '*').map((e) => e.outerHTML))"
    )
    seen.point(x + width / 2, y + 3)
    seen.point(x + width / 2, y + 22)
    seen.until(f"{tips}.join('').includes('onerror')")
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;" in " ".join(seen.run(tips))
    assert seen.run("everywhere(document, 'img').length") == 0
    assert seen.dialogs() == []
    assert seen.complaints() == []


def column(seen, grid: str, place: int = 0) -> list[str]:
    cells = f"[...document.querySelectorAll('#{grid} tbody tr')].map((tr) => tr.cells[{place}].innerText.trim())"
    return list(seen.run(cells))


def test_heads_sort_by_number_and_by_text_and_say_so(made, opened):
    """A click on a head would not sort, would sort 10 before 9, or would not tell a screen reader."""
    seen = opened(page(made.study(), made.plan()))
    click = "document.querySelectorAll('#procedures thead button')[{}].click()"
    seen.run(click.format(2))
    nested = [float(text) for text in column(seen, "procedures", 2)]
    assert nested == sorted(nested, reverse=True)
    assert seen.run("document.querySelectorAll('#procedures th')[2].getAttribute('aria-sort')") == "descending"
    seen.run(click.format(2))
    assert [float(text) for text in column(seen, "procedures", 2)] == sorted(nested)
    seen.run(click.format(8))
    assert column(seen, "procedures", 8) == ["8–10", "4–6", "1", "0"]
    seen.run(click.format(0))
    assert [text.split()[0] for text in column(seen, "procedures")] == ["baseline", "stump", "tree", "lasso"]
    assert seen.run("document.querySelectorAll('#procedures [aria-sort]').length") == 1


def test_sorting_works_from_the_keyboard(made, opened):
    """Somebody without a mouse could not sort."""
    seen = opened(page(made.study(), made.plan()))
    seen.run("document.querySelector('#stability thead button').focus()")
    seen.press("Enter", 13)
    names = column(seen, "stability")
    assert names == sorted(names)
    assert seen.run("document.querySelector('#stability th').getAttribute('aria-sort')") == "ascending"


def wide(made, n: int = 7000):
    names = [f"gene_{i:05d}_expression" for i in range(n)]
    columns = [
        made.decision(
            name,
            reason=f"all 102 values are numbers, {i % 97} different",
            note="could be categories" if i % 50 == 0 else "",
        )
        for i, name in enumerate(names)
    ]
    results = made.study(names, columns=columns)
    results["stability"] = results["stability"][:300]
    return results


def test_seven_thousand_columns_can_be_searched_and_sorted(made, opened):
    """A wide table would not fit, would lose columns, or its rows would be unpacked wrongly."""
    seen = opened(page(wide(made), made.plan()))
    seen.drawn()
    assert seen.complaints() == []
    assert len(column(seen, "columns")) == 50
    seen.run("var field = document.querySelector('#columns input')")
    search = "field.value = %s; field.dispatchEvent(new Event('input'))"
    seen.run(search % json.dumps("Gene_06999"))
    assert column(seen, "columns") == ["gene_06999_expression"]
    assert column(seen, "columns", 3) == ["all 102 values are numbers, 15 different"]
    assert seen.run("document.querySelector('#columns .count').textContent") == "1 of 7,000 rows"
    seen.run(search % json.dumps("categories"))
    assert seen.run("document.querySelector('#columns .count').textContent") == "140 of 7,000 rows"
    seen.run("document.querySelector('#columns .more button').click()")
    assert len(column(seen, "columns")) == 140
    seen.run(search % json.dumps(""))
    seen.run("document.querySelector('#columns thead button').click()")
    seen.run("document.querySelector('#columns thead button').click()")
    assert column(seen, "columns")[0] == "gene_06999_expression"
    assert seen.run("document.querySelectorAll('#columns thead th').length") == 5


def test_a_long_table_of_any_kind_keeps_all_its_rows(made, opened):
    """The rows beyond the first of some table would be lost."""
    results = made.study(labels=tuple(f"class {i}" for i in range(80)), learned=2000)
    seen = opened(page(results, made.plan(), [made.opening()] + [made.opening(False)] * 60))
    seen.run("document.querySelectorAll('.more button').forEach((button) => button.click())")
    assert len(column(seen, "classes")) == 80
    assert len(column(seen, "by-class")) == 80
    assert column(seen, "openings", 5) == ["independent"] + ["no longer independent"] * 60


def test_a_telephone_needs_no_sideways_scroll_of_the_page(made, opened):
    """At 390 px the page itself, or a chart, would be wider than the screen."""
    seen = opened(page(wide(made, 300), made.plan(), [made.opening(), made.opening(False)]), width=390)
    seen.drawn()
    assert seen.run("document.documentElement.scrollWidth") == 390
    assert seen.run("everywhere(document, '.bk-Figure').every((f) => f.getBoundingClientRect().right <= 390)")


def test_words_stand_out_from_their_ground(made, opened):
    """Text would be too faint to read (below a contrast of 4.5) on light or on dark ground."""
    for dark in (False, True):
        seen = opened(page(made.study(), made.plan(), [made.opening(False)]), dark=dark)
        faint = seen.run(CONTRAST)
        assert faint == [], f"dark={dark}"


def test_a_partial_report_draws_too(made, opened):
    """A stopped study's report would break in the browser."""
    seen = opened(page(made.stopped(), made.plan()))
    assert len(seen.drawn()) == 1
    assert seen.run("document.querySelector('h1').textContent") == "PARTIAL: 12 of 61 tasks finished"
    assert seen.complaints() == []


def test_headings_tables_and_labels_are_in_order(made, opened):
    """A screen reader would find no heading, a table without heads, or a field without a name."""
    seen = opened(page(made.study(made.HOSTILE), made.plan(), [made.opening()]))
    assert seen.run("document.querySelectorAll('h1').length") == 1
    assert seen.run("document.documentElement.lang") == "en"
    assert seen.run("[...document.querySelectorAll('section')].every((s) => s.querySelector('h2'))")
    assert seen.run("[...document.querySelectorAll('th')].every((th) => ['row', 'col'].includes(th.scope))")
    assert seen.run("[...document.querySelectorAll('table')].every((t) => t.caption && t.tHead)")
    assert seen.run("[...document.querySelectorAll('input')].every((i) => i.labels.length === 1)")
    assert seen.run("[...document.querySelectorAll('[data-chart]')].every((c) => c.getAttribute('aria-label'))")
    ids = seen.run("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    assert seen.run(
        "[...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.getAttribute('href')))"
    )


#: Every text of the page with less contrast than 4.5 against the first ground that is not transparent.
CONTRAST = """
(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const over = (top, under) => [0, 1, 2].map((i) => (top[3] ?? 1) * top[i] + (1 - (top[3] ?? 1)) * under[i]);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    const own = parts(getComputedStyle(e).backgroundColor);
    if ((own[3] ?? 1) === 1) return own.slice(0, 3);
    return over(own, e.parentElement ? ground(e.parentElement) : [255, 255, 255]);
  };
  const faint = [];
  for (const e of document.querySelectorAll("body *")) {
    const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!text || e.closest("[data-chart], script, noscript")) continue;
    const under = ground(e), ink = over(parts(getComputedStyle(e).color), under);
    const [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.push(e.tagName + " " + e.className + " " + e.textContent.slice(0, 40));
  }
  return faint;
})()
"""
