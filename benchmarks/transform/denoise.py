"""How much of the noise's power is left by each way of wavelet shrinkage, signal by signal.

Run: python benchmarks/transform/denoise.py
A figure is the mean squared error after denoising over the noise's variance, mean of 40 draws; less is better. The last
columns are the geometric mean and the worst signal: the default of `Denoise` is chosen by the geometric mean.
"""

from __future__ import annotations

import numpy as np

from tamis.transform import Denoise


def signals(n: int) -> dict[str, np.ndarray]:
    """Sines, Donoho and Johnstone's four signals, peaks of a spectrum, and a straight line; standard deviation 1."""
    t = (np.arange(n) + 0.5) / n
    places = np.array([0.1, 0.13, 0.15, 0.23, 0.25, 0.40, 0.44, 0.65, 0.76, 0.78, 0.81])
    steps = np.array([4, -5, 3, -4, 5, -4.2, 2.1, 4.3, -3.1, 2.1, -4.2])
    heights = np.array([4, 5, 3, 4, 5, 4.2, 2.1, 4.3, 3.1, 5.1, 4.2])
    widths = np.array([0.005, 0.005, 0.006, 0.01, 0.01, 0.03, 0.01, 0.01, 0.005, 0.008, 0.005])
    peaks = [(0.2, 0.02, 1.0), (0.45, 0.05, 0.7), (0.5, 0.015, 1.2), (0.8, 0.04, 0.9)]
    made = {
        "sine, 2 cycles": np.sin(4 * np.pi * t),
        "sine, 8 cycles": np.sin(16 * np.pi * t),
        "blocks": sum(h * (1 + np.sign(t - p)) / 2 for h, p in zip(steps, places)),
        "bumps": sum(h * (1 + np.abs((t - p) / w)) ** -4 for h, p, w in zip(heights, places, widths)),
        "heavisine": 4 * np.sin(4 * np.pi * t) - np.sign(t - 0.3) - np.sign(0.72 - t),
        "doppler": np.sqrt(t * (1 - t)) * np.sin(2.1 * np.pi / (t + 0.05)),
        "peaks": sum(h * np.exp(-(((t - p) / w) ** 2) / 2) for p, w, h in peaks),
        "line": t,
    }
    return {name: (x - np.mean(x)) / np.std(x) for name, x in made.items()}


def left_over(denoise: Denoise, signal: np.ndarray, noise: float, draws: int = 40) -> float:
    """Mean squared error after denoising, over that before."""
    rng = np.random.default_rng(0)
    noisy = signal + noise * rng.normal(size=(draws, len(signal)))
    return float(((denoise.fit_transform(noisy) - signal) ** 2).mean() / noise**2)


def main() -> None:
    candidates = [
        (how, threshold, wavelet)
        for wavelet in ("db4", "sym8", "coif3")
        for how in ("soft", "hard")
        for threshold in ("universal", "bayes", "sure")
    ]
    cases = [(n, sd) for n in (256, 1024) for sd in (0.2, 0.5)]
    names = list(signals(256))
    print(f"{'':30s}" + "".join(f"{name[:13]:>15s}" for name in names) + f"{'geometric':>12s}{'worst':>8s}")
    for how, threshold, wavelet in candidates:
        denoise = Denoise(how, threshold=threshold, wavelet=wavelet)
        each = [float(np.mean([left_over(denoise, signals(n)[name], sd) for n, sd in cases])) for name in names]
        summary = f"{np.exp(np.mean(np.log(each))):12.3f}{max(each):8.3f}"
        print(f"{wavelet + ' ' + how + ' ' + threshold:30s}" + "".join(f"{x:15.3f}" for x in each) + summary)


if __name__ == "__main__":
    main()
