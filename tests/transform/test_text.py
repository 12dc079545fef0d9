"""Texts as terms: scikit-learn's vectorisers are the answer; nothing is learned from later rows."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

import tamis
from tamis.errors import ParameterError, TableError
from tamis.transform import Text

MAILS = [
    "Win a free phone now",
    "Lunch at noon? The usual place",
    "Free entry: win cash now",
    "See you at lunch",
    "Your cash prize is waiting, claim now",
    "Are you at the office today",
]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (Text(), TfidfVectorizer()),
        (Text(weights="counts", ngrams=(1, 2)), CountVectorizer(ngram_range=(1, 2))),
        (Text(unit="characters", ngrams=(3, 3)), TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3))),
        (Text(weights="presence", stop_words="english"), CountVectorizer(binary=True, stop_words="english")),
        (Text(min_df=2, lowercase=False), TfidfVectorizer(min_df=2, lowercase=False)),
    ],
    ids=["tf-idf", "counts", "characters", "presence", "rare"],
)
def test_terms_and_weights_are_scikit_learns(text, known):
    """A term, its count or its rarity would be another than the vectoriser's."""
    later = ["free lunch for new people", ""]
    expected = known.fit(MAILS)
    assert np.allclose(text.fit_transform(MAILS).toarray(), expected.transform(MAILS).toarray())
    assert text.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert np.allclose(text.transform(later).toarray(), expected.transform(later).toarray())
    assert sparse.issparse(text.transform(later))


def test_many_terms_are_hashed_into_so_many_columns():
    """A large vocabulary would not stay within max_terms, or hashed counts be others than scikit-learn's."""
    text = Text(weights="counts", max_terms=8).fit(MAILS)
    expected = HashingVectorizer(n_features=8, alternate_sign=False, norm=None).transform(MAILS)
    assert text.terms_ == [None]
    assert np.array_equal(text.transform(MAILS).toarray(), expected.toarray())
    assert text.get_feature_names_out()[:2].tolist() == ["hash 0", "hash 1"]


@pytest.mark.parametrize("library", [pd, pl])
def test_texts_of_a_frame_are_recognised_and_other_columns_stay(library):
    """A category would be taken to words, a number lost, or a name not say where a word comes from."""
    data = {"mail": [*MAILS[:5], None], "size": [1.0, 2, 3, 4, 5, 6], "kind": ["a", "b", "a", "b", "a", "b"]}
    numbers = library.DataFrame({name: data[name] for name in ("size", "mail")})
    text = Text()
    made = text.fit_transform(numbers)
    names = text.get_feature_names_out()
    assert made.shape == (6, len(names))
    assert names[-1] == "size"
    assert "mail: free" in names
    assert made.toarray()[:, -1].tolist() == data["size"]
    assert not made.toarray()[5, :-1].any()
    mixed = Text("mail").fit_transform(library.DataFrame(data))
    assert list(mixed["kind"]) == data["kind"]
    assert "mail: lunch" in mixed.columns
    assert Text().set_output(transform="pandas").fit_transform(numbers)["size"].tolist() == data["size"]


def test_a_saved_transform_holds_terms_and_no_text():
    """Texts of people would be stored in a model, or a loaded transform answer differently."""
    frame = pd.DataFrame({"mail": MAILS, "size": range(6)})
    text = Text().fit(frame)
    written = json.dumps(text.to_dict())
    assert MAILS[0] not in written
    again = Text.from_dict(json.loads(written))
    later = pd.DataFrame({"mail": ["win lunch", "nothing known"], "size": [7, 8]})
    assert np.array_equal(again.transform(later).toarray(), text.transform(later).toarray())
    assert again.get_feature_names_out().tolist() == text.get_feature_names_out().tolist()


def test_terms_are_learned_inside_the_fold():
    """Words of held-out rows would reach the model: the fitted procedure changes with them."""
    procedure = make_pipeline(Text(), tamis.LinearClassifier(penalty="ridge", alpha=0.1))
    y = np.array(["spam", "ham", "spam", "ham", "spam", "ham"])
    first = procedure.fit(MAILS[:4], y[:4])[0].terms_
    assert not any("claim" in terms for terms in first)
    assert procedure.predict(MAILS[4:]).tolist() == ["spam", "ham"]


def test_a_lasso_on_messages_names_words():
    """Sparse terms would not pass through a lasso, or the columns it selects have no words."""
    rng = np.random.default_rng(0)
    filler = ["meeting", "tomorrow", "home", "dinner", "report", "call", "later", "thanks"]
    label = rng.random(300) < 0.4
    mails = [
        " ".join([*rng.choice(filler, 5), *(rng.choice(["prize", "claim", "urgent"], 2) if spam else [])])
        for spam in label
    ]
    text = Text()
    model = tamis.LinearClassifier(cv=5).fit(text.fit_transform(mails), label)
    words = text.get_feature_names_out()[np.flatnonzero(model.coef_.ravel())]
    assert {"prize", "claim", "urgent"} <= set(words)
    assert model.score(text.transform(mails), label) > 0.98


@pytest.mark.parametrize(
    ("text", "X", "error", "sentence"),
    [
        (Text(unit="letters"), MAILS, ParameterError, "unit='letters'"),
        (Text(ngrams=(3, 1)), MAILS, ParameterError, r"ngrams=\(3, 1\) ends before it begins"),
        (Text(ngrams=2), MAILS, ParameterError, "ngrams=2 is no pair"),
        (Text(stop_words="klingon"), MAILS, ParameterError, "stop_words='klingon' is not known"),
        (Text(min_df=6), MAILS, TableError, "no term of column 'x0' is in 6 or more of 6 rows"),
        (Text("b"), pd.DataFrame({"a": MAILS}), ParameterError, "columns names 'b'"),
        (Text("a"), pd.DataFrame({"a": [1.0, 2]}), ParameterError, "column 'a' holds no texts"),
    ],
)
def test_bad_input_gets_a_sentence(text, X, error, sentence):
    """The user would not be told what to change."""
    with pytest.raises(error, match=sentence):
        text.fit(X)
