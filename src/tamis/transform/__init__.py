"""Better columns: each transform learns on training rows alone and keeps names, frames and missing values.

Read `base` first (how a transform is made), then one column (`scale`), …
"""

from tamis.transform.scale import Center, Standardize, UnitRange

__all__ = ["Center", "Standardize", "UnitRange"]
