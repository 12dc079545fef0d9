"""Which of two classes is meant: the one that sensitivity, thresholds and curves are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.check import nearest
from tamis.errors import ParameterError

#: Words for what is looked for, in several languages; the other class is the rest.
_MEANT = frozenset(
    {
        *("yes", "y", "true", "t", "1", "positive", "pos", "+", "present", "event", "case", "abnormal", "affected"),
        *("disease", "diseased", "sick", "ill", "patient", "malignant", "cancer", "tumor", "tumour", "relapse"),
        *("recurrence", "recurrence-events", "recurred", "progression", "dead", "died", "death", "deceased"),
        *("default", "defaulted", "charged off", "bad", "fraud", "fraudulent", "churn", "churned", "attrited"),
        *("spam", "fail", "failed", "failure", "defective", "faulty", "anomaly", "attack"),
        *("ja", "j", "krank", "erkrankt", "kranke", "tot", "verstorben", "ausfall", "bösartig", "positiv", "fall"),
        *("oui", "o", "malade", "décédé", "mort", "défaut", "malin", "positif", "cas"),
        *(
            "si",
            "sí",
            "sì",
            "s",
            "enfermo",
            "muerto",
            "fallecido",
            "maligno",
            "positivo",
            "malato",
            "morto",
            "deceduto",
        ),
        *("sim", "doente", "óbito", "caso", "tak", "ano", "igen", "evet", "kyllä", "да", "ναι", "はい", "是", "예"),
    }
)


def meant_class(labels: Sequence[Any], rows: np.ndarray, positive: Any, target: str) -> Any:
    """The class that is meant: the one given, one that a common word names, else the rarer; of equal ones the last.

    Parameters
    ----------
    labels : the two classes.
    rows : how many training rows each has.
    positive : the class that the user named, or None.

    >>> meant_class(["disease", "no disease"], np.array([40, 60]), None, "outcome")
    'disease'
    >>> meant_class(["good", "poor"], np.array([70, 30]), None, "credit")
    'poor'
    """
    if positive is not None:
        return labels[_place(labels, positive, target)]
    named = [label for label in labels if _text(label) in _MEANT]
    codes = {_text(label) for label in labels}
    if len(named) == 1 and (_text(named[0]) != "1" or codes in ({"0", "1"}, {"-1", "1"})):
        return named[0]
    return labels[0] if rows[0] < rows[1] else labels[1]


def refuse_positive(positive: Any, labels: Sequence[Any], target: str) -> None:
    """Raise where a class was named as the one meant, and there are not two of them."""
    if positive is None:
        return
    what = f"{len(labels):,} classes" if labels else "numbers"
    raise ParameterError(
        f"positive={positive!r} is for a target of two classes, but {target!r} has {what}; leave it out"
    )


def _place(labels: Sequence[Any], positive: Any, target: str) -> int:
    texts = [_text(label) for label in labels]
    if _text(positive) not in texts:
        words = [str(label) for label in labels]
        raise ParameterError(
            f"positive={positive!r} is no class of {target!r}{nearest(str(positive), words)}; give {' or '.join(words)}"
        )
    return texts.index(_text(positive))


def _text(label: Any) -> str:
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label)).lower()
    if isinstance(label, (int, float, np.number)):
        return f"{float(label):.17g}"
    text = str(label).strip().lower()
    try:
        return f"{float(text):.17g}"
    except ValueError:
        return text
