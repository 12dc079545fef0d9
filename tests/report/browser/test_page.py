"""The report in a real browser."""

from __future__ import annotations

import base64
import json
import math

import pytest

from tamis.report import page
from tamis.report.figures import every_figure
from tamis.report.figures.drawing import MARGIN
from tamis.report.figures.png import png_of

pytestmark = pytest.mark.browser

KINDS_OF_STUDY = {
    "two classes": {},
    "three classes": {"labels": ("setosa", "versicolor", 3)},
    "numbers": {"labels": (), "metric": "rmse"},
}
CHARTS = {"two classes": 6, "three classes": 4, "numbers": 5}


@pytest.mark.parametrize("kind", KINDS_OF_STUDY)
def test_every_chart_is_drawn_in_silence_and_alone(made, opened, kind):
    """A chart stays empty, the console or the policy complains, or the page asks the network for something."""
    for how in ({"width": 1400}, {"width": 400, "dark": True}):
        seen = opened(page(made.study(**KINDS_OF_STUDY[kind]), made.plan(), [made.opening()]), **how)
        assert len(seen.drawn()) == CHARTS[kind]
        assert seen.run("document.documentElement.scrollWidth") <= how["width"]
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
    assert seen.run("document.documentElement.scrollWidth") <= width


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
    seen.run("document.querySelector('#contributions thead button').focus()")
    seen.press("Enter", 13)
    names = column(seen, "contributions")
    assert names == sorted(names)
    assert seen.run("document.querySelector('#contributions th').getAttribute('aria-sort')") == "ascending"


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
    seen.until("'whole' in document.querySelector('#columns').dataset")
    assert seen.complaints() == []
    assert len(column(seen, "columns")) == 50
    seen.run("var field = document.querySelector('#columns input')")
    search = "field.value = %s; field.dispatchEvent(new Event('input'))"
    seen.run(search % json.dumps("Gene_06999"))
    assert column(seen, "columns") == ["gene_06999_expression"]
    place = seen.run("[...document.querySelectorAll('#columns th')].findIndex((th) => th.innerText.includes('read'))")
    assert column(seen, "columns", place) == ["all 102 values are numbers, 15 different"]
    assert seen.run("document.querySelector('#columns .count').textContent") == "1 of 7,000 rows"
    seen.run(search % json.dumps("categories"))
    assert seen.run("document.querySelector('#columns .count').textContent") == "140 of 7,000 rows"
    seen.run("document.querySelector('#columns .more button').click()")
    assert len(column(seen, "columns")) == 140
    seen.run(search % json.dumps(""))
    seen.run("document.querySelector('#columns thead button').click()")
    seen.run("document.querySelector('#columns thead button').click()")
    assert column(seen, "columns")[0] == "gene_06999_expression"


def test_a_long_table_of_any_kind_keeps_all_its_rows(made, opened):
    """The rows beyond the first of some table would be lost."""
    results = made.study(labels=tuple(f"class {i}" for i in range(80)), learned=2000)
    seen = opened(page(results, made.plan(), [made.opening()] + [made.opening(False)] * 60))
    seen.until("[...document.querySelectorAll('.grid:has(script.rows)')].every((grid) => 'whole' in grid.dataset)")
    seen.run("document.querySelectorAll('.more button').forEach((button) => button.click())")
    assert len(column(seen, "classes")) == 80
    assert len(column(seen, "by-class")) == 80
    assert column(seen, "openings", 5) == ["first known here"] + ["no longer independent"] * 60


def test_a_telephone_needs_no_sideways_scroll_of_the_page(made, opened):
    """At 390 px the page itself, or a chart, would be wider than the screen."""
    seen = opened(page(wide(made, 300), made.plan(), [made.opening(), made.opening(False)]), width=390)
    seen.drawn()
    assert seen.run("document.documentElement.scrollWidth") == 390
    assert seen.run("everywhere(document, '.bk-Figure').every((f) => f.getBoundingClientRect().right <= 390)")


def test_words_stand_out_from_their_ground(made, opened):
    """Text would be too faint to read (below a contrast of 4.5) on light or on dark ground."""
    for dark in (False, True):
        seen = opened(page(made.lasso(made.study()), made.plan(), [made.opening(False)] * 2), dark=dark)
        faint = seen.run(CONTRAST)
        assert faint == [], f"dark={dark}"


def test_a_partial_report_draws_too(made, opened):
    """A stopped study's report would break in the browser."""
    seen = opened(page(made.stopped(), made.plan()))
    assert len(seen.drawn()) == 0
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
    assert seen.run("[...document.querySelectorAll('input, select')].every((i) => i.labels.length === 1)")
    assert seen.run("[...document.querySelectorAll('svg')].every((s) => s.getAttribute('aria-label'))")
    assert seen.run("[...document.querySelectorAll('[data-chart]')].every((c) => c.getAttribute('aria-label'))")
    ids = seen.run("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    assert seen.run(
        "[...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.getAttribute('href')))"
    )


def test_the_threshold_moves_counts_and_points(made, opened):
    """A slider would change nothing, or show other counts than the predictions of the results give."""
    results = made.study()
    truth = [row == 1 for row in results["predictions"]["truth"]]
    sure = [row[1] for row in results["predictions"]["answers"]]
    seen = opened(page(results, made.plan()))
    seen.drawn()
    count = "parseInt(document.getElementById('live-' + k).innerText)"
    live = f"Object.fromEntries(['tn', 'fp', 'fn', 'tp'].map((k) => [k, {count}]))"
    for at in (50, 10, 83):
        move(seen, "threshold-at", at)
        said = [value >= at / 100 for value in sure]
        expected = {
            "tn": sum(not t and not s for t, s in zip(truth, said)),
            "fp": sum(not t and s for t, s in zip(truth, said)),
            "fn": sum(t and not s for t, s in zip(truth, said)),
            "tp": sum(t and s for t, s in zip(truth, said)),
        }
        assert seen.run(live) == expected
        x, y = seen.run("(({x, y}) => [x[0], y[0]])(chartModel('roc-now').data)")
        assert x == pytest.approx(expected["fp"] / truth.count(False))
        assert y == pytest.approx(expected["tp"] / truth.count(True))
        recall, precision = seen.run("(({x, y}) => [x[0], y[0]])(chartModel('pr-now').data)")
        assert recall == pytest.approx(y)
        assert precision == pytest.approx(expected["tp"] / (expected["tp"] + expected["fp"]))


def test_dear_misses_lower_the_cheapest_threshold(made, opened):
    """The slider of costs would point the wrong way."""
    seen = opened(page(made.study(), made.plan()))
    found = []
    for cost in (-20, 0, 20):
        move(seen, "threshold-cost", cost)
        seen.run("document.getElementById('threshold-cheapest').click()")
        found.append(int(seen.run("document.getElementById('threshold-at').value")))
    assert found == sorted(found, reverse=True)
    assert found[0] > found[2]
    assert "10 × a false alarm" in seen.run("document.getElementById('cost-now').textContent")


def test_the_tree_answers_as_its_leaves_and_marks_the_way(made, opened):
    """The page's own tree would go another way than the model, or mark another."""
    seen = opened(page(made.study(), made.plan()))
    way = "[...document.querySelectorAll('.tree li.on')].map((li) => Number(li.dataset.node))"
    answer = "JSON.parse(document.getElementById('try-tool').dataset.answer)"
    assert seen.run(way) == [0, 1, 2]
    assert seen.run(answer) == [0.9, 0.1]
    move(seen, "try-1", 2.6)
    assert seen.run(way) == [0, 1, 3]
    assert seen.run(answer) == [0.1, 0.9]
    assert seen.run("document.getElementById('try-said').textContent") == "malignant"
    move(seen, "try-0", 4.5)
    assert seen.run(way) == [0, 4, 5]
    seen.run(
        "var s = document.getElementById('try-2'); s.value = '1'; s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert seen.run(way) == [0, 4, 6]
    seen.run("var s = document.getElementById('try-preset'); s.value = '0'; s.dispatchEvent(new Event('change'))")
    assert seen.run(way) == [0, 1, 2]
    seen.run("document.querySelector('.tree summary').click()")
    assert seen.run("document.querySelector('.tree details').open") is False


def test_a_linear_model_answers_by_its_formula(made, opened):
    """The page's own formula would give other probabilities than the model."""
    seen = opened(page(made.lasso(made.study()), made.plan()))
    answer = "JSON.parse(document.getElementById('try-tool').dataset.answer)[1]"
    assert seen.run(answer) == pytest.approx(1 / (1 + math.exp(1 - 0.5 * 3)))
    move(seen, "try-0", 7)
    seen.run(
        "var s = document.getElementById('try-2'); s.value = '1'; s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert seen.run(answer) == pytest.approx(1 / (1 + math.exp(1 - 0.5 * 7 + 1.5)))


@pytest.mark.parametrize("labels", [("benign", "malignant"), ("a", "b", "c"), ()])
def test_an_additive_model_answers_by_its_curves_and_maps(made, opened, labels):
    """The page's own curves would give other predictions than the model."""
    results = made.additive(made.study(labels=labels, metric=None if labels else "rmse"))
    found = results["findings"]["readable"]
    seen = opened(page(results, made.plan()))
    seen.run("document.querySelector('.what-if').open = true")
    answer = "JSON.parse(document.getElementById('try-tool').dataset.answer)"
    for value, level, step in ((2.0, 0, 0), (2.1, 1, 1), (8, 1, 2)):  # a value on an edge is in the bin before it
        move(seen, "try-0", value)
        move(seen, "try-2", level)
        curve, group, cells = found["curves"][0]["heights"], found["curves"][1]["heights"], found["pairs"][0]["heights"]
        sums = [sum(parts) for parts in zip(found["intercept"], curve[step], group[level], cells[step][level])]
        if len(labels) == 2:
            expected = [1 / (1 + math.exp(sums[0])), 1 / (1 + math.exp(-sums[0]))]
        else:
            expected = [math.exp(e) / sum(map(math.exp, sums)) for e in sums] if labels else sums
        assert seen.run(answer) == pytest.approx(expected)
    assert seen.run("document.querySelector('#drawing .now').getAttribute('d')").startswith("M")
    seen.run("document.querySelector('.common-scale').click()")
    shown = (
        "[...document.querySelectorAll('#drawing g.own, #drawing g.common')].filter((g) => g.getClientRects().length)"
    )
    assert set(seen.run(f"{shown}.map((g) => g.className.baseVal)")) == {"common"}
    assert seen.complaints() == []


def test_a_score_card_adds_its_points(made, opened):
    """The page would add points of statements that do not hold."""
    seen = opened(page(made.card(made.study()), made.plan()))
    answer = "JSON.parse(document.getElementById('try-tool').dataset.answer)[1]"
    for values, points in (((4.0, 2.5, 0), -1), ((4.1, 2.6, 1), 5), ((4.1, 2.5, 0), 2)):
        for place, value in enumerate(values):
            move(seen, f"try-{place}", value)
        assert seen.run(answer) == pytest.approx(1 / (1 + math.exp(1 - 0.5 * points)))
        assert seen.run("document.getElementById('try-total').textContent").startswith(f"({points} point")
    assert seen.complaints() == []


@pytest.mark.parametrize("width", [1400, 400])
def test_the_first_screen_has_ladder_and_model_before_numbers_and_warnings(made, opened, width):
    """The reader would meet statistics before the model, or a picture that cannot be read."""
    for kind in (made.study(), made.lasso(made.study()), made.additive(made.study()), made.card(made.study())):
        seen = opened(page(made.ladder(kind), made.plan()), width=width)
        top = "document.querySelector('{}').getBoundingClientRect().top + scrollY"
        order = [seen.run(top.format(part)) for part in ("h1", ".ladder svg." + ("wide" if width > 600 else "narrow"))]
        order.append(seen.run(top.format("#drawing")))
        assert order == sorted(order)
        assert order[-1] < seen.run(top.format("main"))
        shown = seen.run(
            "[...document.querySelectorAll('.ladder svg')].filter((s) => s.getClientRects().length).length"
        )
        assert shown == 1
        small = seen.run(
            "[...document.querySelectorAll('header svg text')].filter((t) => t.getClientRects().length && "
            "t.textContent.trim()).map((t) => t.getBoundingClientRect().height)"
        )
        assert min(small) >= 9
        assert seen.run("document.documentElement.scrollWidth") <= width
        assert seen.complaints() == []


def test_contents_stay_in_view_and_sections_fold(made, opened):
    """A reader of a long page would lose the way, or a link would lead to a folded section and show nothing."""
    for width in (1400, 400):
        seen = opened(page(made.ladder(made.study()), made.plan()), width=width)
        seen.run("scrollTo({ top: 3000, behavior: 'instant' })")
        assert seen.run("document.querySelector('nav').getBoundingClientRect().top") == 0
        seen.run("document.getElementById('fold-all').click()")
        assert seen.run("document.querySelectorAll('.fold[open]').length") == 0
        assert seen.run("document.documentElement.scrollHeight") < 6000
        seen.run("document.querySelector('nav a[href=\"#performance\"]').click()")
        seen.until("document.querySelector('#performance .fold').open")
        assert seen.run("document.querySelectorAll('.fold[open]').length") == 1


@pytest.mark.parametrize("width", [400, 1100, 1400])
def test_the_formula_fits_its_box(made, opened, width):
    """The model on the first page would be cut off at its right side."""
    results = made.ladder(made.lasso(made.study()))
    results["findings"]["readable"]["columns"][0] |= {"name": "late_payments", "low": 2080.0, "high": 73200.0}
    seen = opened(page(results, made.plan()), width=width)
    boxes = seen.run("[...document.querySelectorAll('.formula')].map((t) => [t.scrollWidth, t.parentNode.clientWidth])")
    assert boxes
    assert all(inside <= room for inside, room in boxes), boxes


def test_every_figure_can_be_saved_as_svg_and_png(made, opened):
    """A button would save nothing, or a file that no program reads."""
    for results in (made.study(), made.additive(made.study(labels=(), metric="rmse"))):
        seen = opened(page(made.ladder(results), made.plan()))
        seen.drawn()
        files = seen.run(FILES)
        assert len(files) == seen.run("document.querySelectorAll('.save').length")
        assert len(files) > 8
        for name, svg_error, n_parts, png_width, ink in files:
            assert svg_error is None, name
            assert n_parts > 3, name
            assert png_width > 300, name
            assert ink > 500, name
        assert seen.complaints() == []


def test_a_saved_picture_is_that_of_the_page(made, opened):
    """The file would lack styles of the page: lines without a colour, names in another place."""
    seen = opened(page(made.ladder(made.additive(made.study())), made.plan()), width=1400)
    seen.drawn()
    for figure in (".ladder", ".curve"):
        box = seen.run(
            f"(({{x, y, width, height}}) => ({{x, y: y + scrollY, width, height}}))([...document.querySelectorAll("
            f"'{figure} svg')].find((s) => s.getClientRects().length).getBoundingClientRect())"
        )
        clip = {**{key: round(value) for key, value in box.items()}, "scale": 1}
        shot = seen.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        different = seen.run(DIFFERENT % (json.dumps(figure), json.dumps(f"data:image/png;base64,{shot}")))
        assert different < 0.02, figure  # without colours: 0.06 and 0.22


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_figures_written_without_a_browser_are_those_of_the_page(made, opened, kind):
    """`tamis figures` would show other marks, other ends of axes or other colours than the report."""
    results = made.lasso(made.study())
    pictures = every_figure(results, made.plan())
    seen = opened(page(results, made.plan()), width=1400)
    seen.drawn()
    names = [name for name in pictures if seen.run(f"!!document.getElementById('chart-{name}')")]
    assert {"procedures", "stability", "frontier", "path", "roc", "precision_recall", "reliability"} <= set(names)
    for name in names:
        left, top, width, height = pictures[name].frame
        if kind == "svg":
            picture, factor = pictures[name].svg().encode(), 1
        else:
            picture, factor = png_of(pictures[name]), 2
        mime = {"svg": "image/svg+xml", "png": "image/png"}[kind]
        address = f"data:{mime};base64,{base64.b64encode(picture).decode()}"
        frame = [factor * value for value in (left, top, width, height)]
        different = seen.run(FRAMES % (json.dumps(f"chart-{name}"), json.dumps(address), json.dumps(frame)))
        assert different < 0.03, name  # another end of an axis: 0.1 and more


def test_drawings_written_without_a_browser_are_those_of_the_page(made, opened):
    """The ladder, the tree and the columns' cards would lose the styles of the page on their way into a file."""
    results = made.ladder(made.study())
    pictures = every_figure(results, made.plan())
    seen = opened(page(results, made.plan()), width=1400)
    seen.drawn()
    for name, selector in (("ladder", ".ladder svg.wide"), ("model-tree", ".tree-picture svg")):
        picture = pictures[name]
        svg = base64.b64encode(picture.svg().encode()).decode()
        box = seen.run(
            f"(({{x, y, width, height}}) => ({{x: x + scrollX, y: y + scrollY, width, height}}))"
            f"(document.querySelector('{selector}').getBoundingClientRect())"
        )
        shot = seen.send("Page.captureScreenshot", captureBeyondViewport=True, clip={**box, "scale": 1})["data"]
        natural = seen.run(
            f"(({{width, height}}) => [width, height])(document.querySelector('{selector}').viewBox.baseVal)"
        )
        frame = [MARGIN, picture.height - MARGIN - natural[1], *natural]
        script = PICTURES % (
            json.dumps(f"data:image/png;base64,{shot}"),
            json.dumps(f"data:image/svg+xml;base64,{svg}"),
            json.dumps(frame),
        )
        assert seen.run(script) < 0.02, name


#: Share of pixels in which a part of a file differs from a picture of the page; both are blurred, as text and lines are
#: drawn a little differently.
COMPARE = """
  const pixels = (image, x, y, width, height) => {
    const canvas = new OffscreenCanvas(w, h).getContext("2d");
    canvas.filter = "blur(3px)";
    canvas.fillStyle = "white";
    canvas.fillRect(0, 0, w, h);
    canvas.drawImage(image, x, y, width, height, 0, 0, w, h);
    return canvas.getImageData(0, 0, w, h).data;
  };
  const [left, top, width, height] = frame;
  const [a, b] = [pixels(page, ...source), pixels(file, left, top, width, height)];
  let n = 0;
  for (let i = 0; i < a.length; i += 4) if (Math.max(...[0, 1, 2].map((k) => Math.abs(a[i + k] - b[i + k]))) > 40) n++;
  return (4 * n) / a.length;
"""

#: The frame of a chart of the page, beside the frame of a file.
FRAMES = (
    """
(async () => {
  const chart = document.getElementById(%s), file = new Image();
  file.src = %s;
  const frame = %s;
  await file.decode();
  const view = Object.values(Bokeh.index.roots ?? Bokeh.index).find((one) => chart.contains(one.el));
  const page = await createImageBitmap(await view.export("png", true).to_blob());
  const ratio = page.width / view.el.getBoundingClientRect().width, box = view.frame.bbox;
  const source = [box.left, box.top, box.width, box.height].map((value) => value * ratio);
  const [w, h] = [Math.round(box.width), Math.round(box.height)];
"""
    + COMPARE
    + "})()"
)

#: A picture of the page beside a part of a file.
PICTURES = (
    """
(async () => {
  const page = new Image(), file = new Image();
  [page.src, file.src] = [%s, %s];
  const frame = %s;
  await Promise.all([page.decode(), file.decode()]);
  const [w, h] = [page.width, page.height], source = [0, 0, w, h];
"""
    + COMPARE
    + "})()"
)


#: Of every figure: its name, the error of its SVG where it has one, its parts, the width of its PNG and its ink.
FILES = """
(async () => {
  const found = [];
  for (const box of document.querySelectorAll(".save")) {
    const figure = box.closest("figure, .column-card") ?? box.previousElementSibling;
    const svg = new DOMParser().parseFromString(await (await pictureOf(figure, "svg")).text(), "image/svg+xml");
    const png = await createImageBitmap(await pictureOf(figure, "png"));
    const canvas = new OffscreenCanvas(png.width, png.height).getContext("2d");
    canvas.drawImage(png, 0, 0);
    const data = canvas.getImageData(0, 0, png.width, png.height).data;
    let ink = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] && data[i] + data[i + 1] + data[i + 2] < 700) ink++;
    const error = svg.querySelector("parsererror")?.textContent ?? null;
    found.push([figure.className, error, svg.querySelectorAll("*").length, png.width, ink]);
  }
  return found;
})()
"""

#: Share of pixels of a saved SVG that differ from a picture of the page; both are blurred, as a line may fall between
#: pixels in one of them.
DIFFERENT = """
(async () => {
  const figure = document.querySelector(%s), page = new Image(), file = new Image();
  page.src = %s;
  file.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(await (await pictureOf(figure, "svg")).text());
  await Promise.all([page.decode(), file.decode()]);
  const pixels = (image) => {
    const { width, height } = page;
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas.filter = "blur(3px)";
    canvas.drawImage(image, 0, 0, width, height);
    return canvas.getImageData(0, 0, width, height).data;
  };
  const [a, b] = [pixels(page), pixels(file)];
  let n = 0;
  for (let i = 0; i < a.length; i += 4) if (Math.max(...[0, 1, 2].map((k) => Math.abs(a[i + k] - b[i + k]))) > 40) n++;
  return (4 * n) / a.length;
})()
"""


def test_the_path_follows_its_slider(made, opened):
    """The coefficients shown would not be those of the step, or the line in the chart would stay."""
    seen = opened(page(made.lasso(made.study()), made.plan()))
    seen.drawn()
    assert "4 columns" in seen.run("document.getElementById('path-said').textContent")
    assert "(chosen)" in seen.run("document.getElementById('path-said').textContent")
    move(seen, "path-step", 1)
    assert seen.run("document.getElementById('path-said').textContent").startswith(
        "Penalty 0.1: 1 column, inner error 0.4"
    )
    shown = seen.run("[...document.querySelectorAll('#path-terms b')].map((b) => b.textContent)")
    assert shown == ["1.5", "1", "0.5"]
    assert seen.run("chartModel('path-now').location") == pytest.approx(1.0)


@pytest.mark.parametrize("width", [400, 1280])
def test_a_coefficient_beside_the_path_slider_stays_on_one_line(made, opened, width):
    """At 400 px "−0.195" would be broken into "−0.19" and "5", which reads as another number."""
    results = made.lasso(made.study())
    path = results["findings"]["path"]
    path["terms"] = [[-0.000195 * (1 + k)] * len(path["alpha"]) for k in range(len(path["names"]))]
    seen = opened(page(results, made.plan()), width=width)
    lines = """[...document.querySelectorAll('#path-terms b')].map((b) => {
      const words = document.createRange(); words.selectNodeContents(b);
      const ends = [words, b.parentElement].map((one) => one.getBoundingClientRect().right);
      return [words.getClientRects().length, ends[0] <= ends[1] + 1];
    })"""
    found = seen.run(lines)
    assert found
    assert all(line == [1, True] for line in found)
    assert seen.run("document.documentElement.scrollWidth") <= width


def test_the_table_beside_the_frontier_has_the_points_of_its_lines(made, opened):
    """Somebody who cannot see the chart would read other scores, or not learn which rows they are of."""
    results = made.study()
    seen = opened(page(results, made.plan()))
    seen.drawn()
    seen.run("document.querySelector('#paths').closest('details').open = true")
    points = [(path, point) for path in results["paths"] for point in path["points"]]
    assert column(seen, "paths", 0) == [path["procedure"] for path, _ in points]
    assert column(seen, "paths", 1) == [f"{point['max_columns']}" for _, point in points]
    assert [float(text) for text in column(seen, "paths", 3)] == [round(point["score"], 3) for _, point in points]
    where = {"outer": "held-out rows", "inner": "inside training folds"}
    assert column(seen, "paths", 4) == [where[path["rows"]] for path, _ in points]
    drawn = "Bokeh.documents.flatMap((d) => [...d._all_models.values()].filter((m) => m.type === 'ColumnDataSource'))"
    found = seen.run(f"{drawn}.map((m) => m.data).filter((d) => 'most' in d).map((d) => [d.name[0], [...d.score]])")
    for path in results["paths"]:
        said = [point["score"] for point in path["points"]]
        assert any(name == path["procedure"] and scores[: len(said)] == said for name, scores in found)
    assert seen.complaints() == []


def test_bars_are_as_long_as_their_shares(made, opened):
    """A bar would not show the number beside it, in rows of HTML or in those that the script draws."""
    seen = opened(page(wide(made, 300), made.plan()))
    seen.until("'whole' in document.querySelector('#columns').dataset")
    lengths = (
        "[...document.querySelectorAll('#columns tbody td')].filter((td) => td.querySelector('.bar')).map((td) => "
        "[td.innerText.trim(), Number(td.querySelector('.bar').style.getPropertyValue('--share'))])"
    )
    for _ in range(2):
        found = seen.run(lengths)
        assert len(found) > 50
        for text, length in found:
            value = float(text.strip("<>%")) / (100 if text.endswith("%") else 1)
            assert length == pytest.approx(0 if text.startswith("<") else value, abs=1e-3)
        seen.run("document.querySelector('#columns .more button').click()")


@pytest.mark.parametrize("width", [1400, 400])
def test_six_thousand_columns_and_26_classes_stay_in_shape(made, opened, width):
    """A wide table, or one of many classes, would push the page out of shape or outgrow 2 MB."""
    letters = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for results in (wide(made, 6000), made.study(labels=letters, learned=900), made.study(["alone"])):
        text = page(results, made.plan())
        assert len(text.encode()) <= 2_000_000
        seen = opened(text, width=width)
        seen.drawn()
        assert seen.complaints() == []
        assert seen.requests() == []
        assert seen.run("document.documentElement.scrollWidth") <= width


def move(seen, slider: str, value: float) -> None:
    """Move a slider as a hand does."""
    seen.run(
        f"var s = document.getElementById('{slider}'); s.value = '{value}'; "
        "s.dispatchEvent(new Event('input', {bubbles: true}))"
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
