"""Trees drawn as SVG: what is on the picture, and that nothing covers anything else."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tamis
from tamis.errors import ParameterError
from tamis.score import RankSelector
from tamis.tree import TreeClassifier, TreeRegressor, from_pipeline
from tamis.tree.export.picture import colours, ink

SVG = "{http://www.w3.org/2000/svg}"


def two_classes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=["size", "weight", "a rather long name of a column", "d"])
    return TreeClassifier(max_leaf_nodes=7).fit(X, np.where(X["size"] * X["weight"] > 0.2, "ill", "well"))


def ten_classes():
    return TreeClassifier(max_leaf_nodes=24).fit(*load_digits(return_X_y=True))


def numbers():
    return TreeRegressor(max_leaf_nodes=9).fit(*load_diabetes(return_X_y=True, as_frame=True))


def long_levels():
    rng = np.random.default_rng(1)
    towns = [f"{a} {b}ton-on-sea" for a in ("North", "South", "Old") for b in "abcdefghijklm"]
    frame = pd.DataFrame({"town": rng.choice(towns, 900), "x": rng.normal(size=900)})
    y = np.isin(frame["town"], towns[::2]) ^ (frame["x"] > 0)
    return TreeClassifier(max_leaf_nodes=8).fit(frame, np.where(y, "a class with a very long name indeed", "b"))


def many_leaves():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 6))
    return TreeRegressor(max_leaf_nodes=78).fit(X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2])


def oblique():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 5))
    return TreeClassifier(splits="oblique", max_leaf_nodes=6).fit(X, X @ [1, 1, -1, 0.5, 0] > 0)


def models():
    return TreeRegressor(leaf="linear", max_leaf_nodes=5).fit(*load_diabetes(return_X_y=True, as_frame=True))


def several_targets():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    return TreeRegressor(max_leaf_nodes=5).fit(X, np.c_[X[:, 0], 1e7 * X[:, 1], X[:, 2]])


MAKERS = (two_classes, ten_classes, numbers, long_levels, many_leaves, oblique, models, several_targets)
TREES = {make.__name__: make for make in MAKERS}


@pytest.fixture(scope="module", params=TREES)
def model(request):
    return TREES[request.param]()


def box(element):
    x, y, w, h = (float(element.get(key)) for key in ("x", "y", "width", "height"))
    return x, y, x + w, y + h


def label_box(element):
    """Left, top, right, bottom of a line of text, by the width that the drawing reckons with."""
    size, x, y = (float(element.get(key)) for key in ("font-size", "x", "y"))
    wide = ink.width_of(element.text, size, element.get("font-weight") is not None)
    left = {"middle": x - wide / 2, "end": x - wide}.get(element.get("text-anchor"), x)
    return left, y - 0.75 * size, left + wide, y + 0.2 * size


def apart(a, b):
    return a[2] <= b[0] + 0.05 or b[2] <= a[0] + 0.05 or a[3] <= b[1] + 0.05 or b[3] <= a[1] + 0.05


def nodes(root):
    return [e for e in root.iter(SVG + "g") if e.get("class") == "node"]


def card(node):
    return next(e for e in node.iter(SVG + "rect") if e.get("class") == "card")


def segments(root):
    """Every straight piece of a line, as the box it covers."""
    lines = next(e for e in root.iter(SVG + "g") if e.get("class") == "lines")
    for path in lines:
        x0, y0, bend, to, end = (float(v) for v in re.findall(r"[-\d.]+", path.get("d")))
        half = float(path.get("stroke-width")) / 2
        yield x0 - half, y0, x0 + half, bend
        yield min(x0, to) - half, bend - half, max(x0, to) + half, bend + half
        yield to - half, bend, to + half, end


def test_no_card_label_or_line_covers_another(model):
    """Labels would run into each other or out of their card, or a line would go through a label."""
    root = ET.fromstring(model.to_svg())
    drawn = nodes(root)
    cards = [box(card(node)) for node in drawn]
    assert all(apart(a, b) for a, b in combinations(cards, 2))
    labels = []
    for node, (left, _, right, _) in zip(drawn, cards):
        own = [label_box(text) for text in node.iter(SVG + "text")]
        assert all(a[0] >= left - 0.05 and a[2] <= right + 0.05 for a in own)
        labels += own
    assert all(apart(a, b) for a, b in combinations(labels, 2))
    for piece in segments(root):
        assert all(apart(piece, label) for label in labels)
        inside = (piece[0], piece[1] + 0.2, piece[2], piece[3] - 0.2)
        assert all(apart(inside, one) for one in cards)


def test_every_node_is_drawn_once_and_nothing_outside(model):
    """A node would be missing, or stand outside the picture, or the picture would be wider than asked for."""
    tree = model.tree_
    whole = ET.fromstring(model.to_svg(max_depth=tree.max_depth))
    assert len(nodes(whole)) == tree.n_nodes
    for root, most in (
        (whole, None),
        (ET.fromstring(model.to_svg()), 1500),
        (ET.fromstring(model.to_svg(width=500)), 500),
    ):
        _, _, width, height = (float(v) for v in root.get("viewBox").split())
        assert all(
            b[0] >= 0 and b[1] >= 0 and b[2] <= width and b[3] <= height for b in map(box, map(card, nodes(root)))
        )
        assert most is None or float(root.get("width")) <= most
    scaled = ET.fromstring(model.to_svg(max_depth=tree.max_depth, width=300))
    assert float(scaled.get("width")) == 300
    assert len(nodes(scaled)) == tree.n_nodes


def test_leaves_that_are_not_drawn_are_counted(model):
    """Part of a tree would be left out without a word."""
    for words in ({}, {"max_depth": 1}, {"max_depth": 0}, {"width": 400}):
        svg = model.to_svg(**words)
        root = ET.fromstring(svg)
        texts = [e.text for e in root.iter(SVG + "text")]
        hidden = [int(t.split()[1].replace(",", "")) for t in texts if t.endswith("leaves below")]
        drawn = nodes(root)
        leaves = len(drawn) - (len(drawn) - 1) // 2 - len(hidden)
        assert leaves + sum(hidden) == model.tree_.n_leaves
        assert (sum(hidden) > 0) == any(f"{leaves:,} are drawn" in t for t in texts)
    assert model.to_svg() == model.to_svg()


def test_bars_are_class_shares_and_the_legend_names_every_colour():
    """A bar would show other shares than predict_proba, or a colour would have no meaning."""
    for made in (two_classes(), ten_classes()):
        root = ET.fromstring(made.to_svg(max_depth=made.tree_.max_depth))
        legend = next(e for e in root.iter(SVG + "g") if e.get("class") == "legend")
        entries = [e for e in legend if e.get("class") == "entry"]
        assert [e.find(SVG + "text").text for e in entries] == [str(c) for c in made.classes_]
        palette = [e.find(SVG + "rect").get("fill") for e in entries]
        assert len(set(palette)) == len(made.classes_)
        order = made.tree_.preorder()
        for node, group in zip(order, nodes(root)):
            bars = [e for e in group.iter(SVG + "rect") if e.get("class") == "share"]
            expected = made.tree_.value[node] / made.tree_.value[node].sum()
            got = {bar.get("fill"): float(bar.get("width")) for bar in bars}
            wide = sum(got.values())
            assert [got.get(colour, 0) / wide for colour in palette] == pytest.approx(expected.tolist(), abs=1e-3)


def test_shades_of_numbers_follow_their_order_and_can_be_read():
    """A larger value would be lighter than a smaller one, or text would vanish in its shade."""
    made = numbers()
    root = ET.fromstring(made.to_svg(max_depth=9))
    order, values = made.tree_.preorder(), made.tree_.value[:, 0]
    shades = []
    for node, group in zip(order, nodes(root)):
        shade = next(e for e in group.iter(SVG + "rect") if e.get("class") == "shade").get("fill")
        shades.append((values[node], luminance(shade)))
    shades.sort()
    assert all(a[1] >= b[1] - 1e-9 for a, b in pairwise(shades))
    for share in np.linspace(0, 1, 101):
        fill = colours.of_number(share)
        light, dark = sorted([luminance(fill), luminance(colours.readable_on(fill))], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5  # what WCAG asks for


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_long_lists_of_levels_are_wrapped_counted_and_whole_in_the_tooltip():
    """Levels would be cut without a word, or could not be looked up."""
    made = long_levels()
    root = ET.fromstring(made.to_svg())
    tips = [e.text for e in root.iter(SVG + "title")]
    texts = [e.text for e in root.iter(SVG + "text")]
    split = next(n for n in made.tree_.preorder() if made.tree_.n_levels[n])
    assert any(re.search(r"… \d+ more$", t) for t in texts)
    for side in (0, 1):
        from tamis.tree.export.wording import levels_on

        levels = [made.tree_.levels[0][code] for code in levels_on(made.tree_, split, side)]
        assert any(tip.split("\n")[1:] == levels for tip in tips)


def test_more_classes_than_colours_share_a_grey_that_says_so():
    """Two classes would have the same colour without a word."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 30, 900)
    root = ET.fromstring(TreeClassifier(max_depth=2).fit(np.c_[y, y % 7], [f"class {k}" for k in y]).to_svg())
    legend = next(e for e in root.iter(SVG + "g") if e.get("class") == "legend")
    assert legend[-1].find(SVG + "text").text == "20 rarer classes"
    assert len(legend[-1].find(SVG + "title").text.split("\n")) == 20


def test_hostile_names_and_control_characters_are_harmless():
    """A name would close a tag, run a script, or make the picture unreadable XML."""
    bad = "</text><script>alert(1)</script>\x00\x1b\n]]>&amp;\"'"
    frame = pd.DataFrame({bad: np.arange(40.0), "level": [f"{bad}{k % 4}" for k in range(40)]})
    for target in ([f"{bad}{k // 20}" for k in range(40)], [f"{bad}{k % 2}" for k in range(40)]):
        svg = TreeClassifier().fit(frame, target).to_svg(max_depth=5)
        assert "<script" not in svg
        ET.fromstring(svg)


def times(library):
    n = 240
    day = np.arange(n) * np.timedelta64(1, "D") + np.datetime64("2021-01-01")
    columns = {
        "visit": day.astype("datetime64[us]"),
        "stamp": np.arange(n) * np.timedelta64(90, "m") + np.datetime64("2021-01-01T00:00", "us"),
        "wait": (np.arange(n) * np.timedelta64(30, "m")).astype("timedelta64[us]"),
        "smoker": np.arange(n) % 2 == 0,
        "age": np.arange(n) * 1.0,
    }
    return pd.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("visit", ["visit ≤ 2021-04-10", "visit > 2021-04-10"]),
        ("stamp", ["stamp ≤ 2021-01-07 05:15", "stamp > 2021-01-07 05:15"]),
        ("wait", ["wait ≤ 2 d 1 h 45 min", "wait > 2 d 1 h 45 min"]),
        ("smoker", ["smoker is false", "smoker is true"]),
        ("age", ["age ≤ 99.5", "age > 99.5"]),
    ],
)
def test_dates_times_and_booleans_are_written_as_such(library, column, expected):
    """A date would be a number of days, a boolean a comparison with one half."""
    frame = times(library)
    y = np.arange(240) % 2 if column == "smoker" else np.arange(240) >= 100
    chosen = frame[[column]]
    made = TreeClassifier(max_depth=1).fit(chosen, y)
    again = TreeClassifier.from_dict(made.to_dict())
    for tree in (made, again):
        assert [rule["rule"] for rule in tree.rules()] == expected
        assert all(words in tree.to_text() for words in expected)
        texts = [e.text for e in ET.fromstring(tree.to_svg()).iter(SVG + "text")]
        assert column in texts
        assert all(words.removeprefix(column + " ") in texts for words in expected)


def test_a_boolean_among_numbers_and_parts_of_a_date_keep_their_words():
    """Frames of numbers and booleans are read as a matrix; a file's dates become parts: both would lose their words."""
    frame = pd.DataFrame({"a": np.zeros(20), "smoker": [True, False] * 10})
    assert TreeClassifier().fit(frame, frame["smoker"]).rules()[0]["rule"] == "smoker is false"
    assert TreeClassifier().fit(frame.to_numpy(bool), frame["smoker"]).rules()[0]["rule"] == "x1 is false"
    dates = [f"2021-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 21)]
    table = tamis.read({"when": dates, "ill": ["no", "yes"] * 120})
    month = np.array([int(date[5:7]) for date in dates])
    tree = TreeClassifier(max_depth=1).fit(table.select(["when (month)"]), month > 3)
    assert tree.rules()[0]["rule"] == "when (month) ≤ March"
    tree = TreeClassifier(max_depth=1).fit(table.select(["when (elapsed days)"]), month > 3)
    assert tree.rules()[1]["rule"] == "when (elapsed days) > 2021-03-26"
    tree = TreeClassifier(max_depth=1).fit(table.select(["ill"]), np.arange(240) % 2)
    assert [rule["rule"] for rule in tree.rules()] == ["ill is no", "ill is yes"]


def test_column_names_come_through_a_pipeline():
    """The picture would say x1 where the table says smoker."""
    frame = times("pandas")[["age", "smoker"]]
    pipeline = make_pipeline(RankSelector(k=1), TreeClassifier()).fit(frame, frame["age"] > 99)
    tree = from_pipeline(pipeline)
    assert tree.rules()[0]["rule"] == "age ≤ 99.5"
    assert ">age<" in tree.to_svg()
    pipeline = make_pipeline(RankSelector(k=1), TreeClassifier()).fit(frame, frame["smoker"])
    assert from_pipeline(pipeline).rules()[0]["rule"] == "smoker is false"
    whole = make_pipeline("passthrough", TreeClassifier()).fit(times("pandas")[["visit"]], frame["age"] > 99)
    assert from_pipeline(whole).rules()[0]["rule"] == "visit ≤ 2021-04-10"
    scaled = make_pipeline(StandardScaler(), TreeClassifier()).fit(frame[["smoker", "age"]], frame["age"] > 99)
    assert from_pipeline(scaled).rules()[0]["rule"].startswith("age ≤ -0.")
    with pytest.raises(ParameterError, match="StandardScaler is no fitted tree"):
        from_pipeline(make_pipeline(StandardScaler()))


def test_bad_sizes_are_refused():
    """A picture of no width would be drawn."""
    made = two_classes()
    with pytest.raises(ParameterError, match="width=10"):
        made.to_svg(width=10)
    with pytest.raises(ParameterError, match="max_depth=-1"):
        made.to_svg(max_depth=-1)
