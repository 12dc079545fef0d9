# mypy: allow-untyped-defs
"""Exponentials and logarithms inside kernels, several rows at a time.

The C library's take one number a call, so a loop around them cannot use a processor's wide registers: of 600 rows,
exp and log1p took 13.6 ns a row, these 3.3.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from tamis.engine.kernel import inner

_LOWEST = -708.0  # below it the exponential is no normal number
_PER_OCTAVE = 1.4426950408889634  # 1 / ln 2
_ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²: a number added to it is rounded to a whole one, in the last bits
_LN2, _LN2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2 in two parts, the first of 33 bits
_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of √½
_LAST_BITS = 0x4330000000000000  # those of 2⁵²: a whole number in the last bits is added to it


@intrinsic
def _times_power(typing: Any, x: Any, rounded: Any) -> Any:
    """x · 2ᵏ, k in the last bits of the number given."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, number = ir.IntType(64), ir.DoubleType()
        power = builder.shl(builder.bitcast(args[1], whole), ir.Constant(whole, 52))
        return builder.bitcast(builder.add(builder.bitcast(args[0], whole), power), number)

    return types.float64(types.float64, types.float64), code


@inner(fastmath={"contract"})
def exp_below_0(x):
    """The exponential of a number that is at most 0, to 1 unit in the last place; exp(-708) for any below -708.

    exp(x) = 2ᵏ exp(r), r = x - k ln 2 within ± ½ ln 2, by a polynomial that meets it at Chebyshev's points.
    """
    x = max(x, _LOWEST)
    rounded = x * _PER_OCTAVE + _ROUNDER
    k = rounded - _ROUNDER
    r = (x - k * _LN2) - k * _LN2_REST
    p = 2.5096425849106102e-08 * r + 2.762000690186374e-07
    p = p * r + 2.7557280544925167e-06
    p = p * r + 2.4801521535544232e-05
    p = p * r + 0.0001984126985018913
    p = p * r + 0.001388888891697087
    p = p * r + 0.008333333333335578
    p = p * r + 0.04166666666662511
    p = p * r + 0.1666666666666666
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return _times_power(p, rounded)


@intrinsic
def _octaves(typing: Any, x: Any) -> Any:
    """k of x = 2ᵏ m, m between √½ and √2; x is at least 1."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, number = ir.IntType(64), ir.DoubleType()
        k = builder.lshr(builder.sub(builder.bitcast(args[0], whole), whole(_ROOT_HALF)), whole(52))
        found = builder.bitcast(builder.or_(k, whole(_LAST_BITS)), number)
        return builder.fsub(found, number(2.0**52))

    return types.float64(types.float64), code


@intrinsic
def _within_octave(typing: Any, x: Any) -> Any:
    """m of x = 2ᵏ m, m between √½ and √2."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = ir.IntType(64)
        rest = builder.sub(builder.bitcast(args[0], whole), whole(_ROOT_HALF))
        rest = builder.and_(rest, whole(2**52 - 1))
        return builder.bitcast(builder.add(rest, whole(_ROOT_HALF)), ir.DoubleType())

    return types.float64(types.float64), code


@inner(fastmath={"contract"})
def log_above_1(x):
    """The logarithm of a number that is at least 1, to 3 units in the last place of it or of ln 2."""
    f = _within_octave(x) - 1.0
    return _octaves(x) * (_LN2 + _LN2_REST) + _twice_artanh(f / (2.0 + f))


@inner(fastmath={"contract"})
def times_log(q):
    """q ln q for q between 0 and 1; 0 for any other."""
    return -q * log_above_1(1.0 / min(max(q, 1e-300), 1.0)) if q > 0.0 else 0.0


@inner(fastmath={"contract"})
def log1p_below_1(u):
    """ln(1 + u) of a number between 0 and 1, to 3 units in the last place: 2 artanh(s), s = u / (2 + u)."""
    return _twice_artanh(u / (2.0 + u))


@inner(fastmath={"contract"})
def _twice_artanh(s):
    """2 artanh(s) for s within ± ⅓: s times a polynomial of s²."""
    z = s * s
    p = 0.1705302526818176 * z + 0.08319381128873786
    p = p * z + 0.12111440488261997
    p = p * z + 0.13300197273462322
    p = p * z + 0.15386629107489805
    p = p * z + 0.1818174002308103
    p = p * z + 0.22222224107829874
    p = p * z + 0.28571428544919564
    p = p * z + 0.4000000000019127
    p = p * z + 0.6666666666666613
    p = p * z + 2.0
    return p * s
