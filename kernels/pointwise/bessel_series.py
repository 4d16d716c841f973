#!/usr/bin/env python3
"""Prints the tables of bessel_series.h: needs mpmath, and no GPU.

Each is a polynomial in t from -1 to 1 through a function's values at Chebyshev's nodes, computed with 45 digits. The
first term that is left out is below 2^-53 of the function's largest value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpmath import airyai, airybi, besseli, besselj, besselk, bessely, cos, exp, log, mp, mpf, pi, sin, sqrt

mp.dps = 45


def through_nodes(function: Callable[[Any], Any], degree: int) -> list[float]:
    """Coefficients of powers of t, the lowest first."""
    count = degree + 1
    nodes = [cos(pi * (k + mpf(1) / 2) / count) for k in range(count)]
    values = [function(t) for t in nodes]
    powers = [mpf(0)] * count
    before, one = [mpf(0)], [mpf(1)]  # Chebyshev's polynomials of two degrees that follow each other
    for j in range(count):
        weight = 2 * sum(v * cos(pi * j * (k + mpf(1) / 2) / count) for k, v in enumerate(values)) / count
        for i, coefficient in enumerate(one):
            powers[i] += coefficient * weight / (1 if j else 2)
        after = [mpf(0)] + [coefficient * (2 if j else 1) for coefficient in one]
        for i, coefficient in enumerate(before):
            after[i] -= coefficient
        before, one = one, after
    return [float(power) for power in powers]


def ordinary(nu: int) -> dict[str, tuple[Callable[[Any], Any], int]]:
    """J and Y up to 8, and the factors of cosine and sine from 8 on."""

    def near(t: Any) -> Any:
        return sqrt((t + 1) * 32)

    def far(t: Any) -> Any:
        return 8 / sqrt((t + 1) / 2)

    def turned(x: Any, real: bool) -> Any:
        angle, size = x - (2 * nu + 1) * pi / 4, sqrt(pi * x / 2)
        j, y = besselj(nu, x), bessely(nu, x)
        return size * (j * cos(angle) + y * sin(angle) if real else y * cos(angle) - j * sin(angle))

    def rest(x: Any) -> Any:
        pole = 1 / x if nu else 0
        return (bessely(nu, x) - 2 / pi * (log(x) * besselj(nu, x) - pole)) / x**nu

    return {
        f"J{nu}": (lambda t: besselj(nu, near(t)) / near(t) ** nu, 17),
        f"Y{nu}": (lambda t: rest(near(t)), 17),
        f"Cosine{nu}": (lambda t: turned(far(t), True), 14),
        f"Sine{nu}": (lambda t: turned(far(t), False) * far(t), 14),
    }


def modified(nu: int) -> dict[str, tuple[Callable[[Any], Any], int]]:
    """I from 8 on, K from 2 on, without their exponentials."""
    return {
        f"I{nu}": (lambda t: sqrt(16 / (t + 1)) * exp(-16 / (t + 1)) * besseli(nu, 16 / (t + 1)), 23),
        f"K{nu}": (lambda t: sqrt(4 / (t + 1)) * exp(4 / (t + 1)) * besselk(nu, 4 / (t + 1)), 23),
    }


def airy() -> dict[str, tuple[Callable[[Any], Any], int]]:
    """Ai from 2 on, from -4 to 2, and the factors of cosine and sine below -4."""

    def of(zeta: Any) -> Any:
        return (3 * zeta / 2) ** (mpf(2) / 3)

    def above(t: Any) -> Any:
        return mpf(8) / 3 * sqrt(mpf(2)) / (t + 1)

    def below(t: Any) -> Any:
        return mpf(16) / 3 / sqrt((t + 1) / 2)

    def turned(zeta: Any, real: bool) -> Any:
        x, angle = of(zeta), zeta - pi / 4
        size = sqrt(pi) * x ** (mpf(1) / 4)
        a, b = airyai(-x), airybi(-x)
        return size * (a * cos(angle) - b * sin(angle) if real else a * sin(angle) + b * cos(angle))

    def decay(zeta: Any) -> Any:
        return 2 * sqrt(pi) * of(zeta) ** (mpf(1) / 4) * exp(zeta) * airyai(of(zeta))

    return {
        "AiryAbove": (lambda t: decay(above(t)), 23),
        "AiryBetween": (lambda t: airyai(3 * t - 1), 29),
        "AiryCosine": (lambda t: turned(below(t), True), 15),
        "AirySine": (lambda t: turned(below(t), False) * below(t), 15),
    }


def main() -> None:
    """Prints all tables as C++."""
    for name, (function, degree) in (ordinary(0) | ordinary(1) | modified(0) | modified(1) | airy()).items():
        numbers = ", ".join(repr(number) for number in through_nodes(function, degree))
        print(f"inline constexpr double k{name}[] = {{{numbers}}};")


if __name__ == "__main__":
    main()
