"""A cluster of interchangeable columns with how often it was chosen."""

from dataclasses import dataclass

from tamis.score.interchangeable import Interchangeable


@dataclass(frozen=True)
class Cluster(Interchangeable):
    """Interchangeable columns, the most often chosen first.

    Attributes
    ----------
    frequency : how often at least one of them was chosen.
    """

    frequency: float
