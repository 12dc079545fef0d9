"""Time of every transform of signals against rows and positions, and the fitted exponent: 1 is linear."""

import warnings
from time import process_time

import numpy as np

from tamis.transform import signals

TRANSFORMS = {
    "smooth": signals.Smooth(),
    "smooth, moving average": signals.Smooth("moving-average"),
    "derivative": signals.Derivative(),
    "sharpen": signals.Sharpen(),
    "baseline, 10 iterations": signals.Baseline(max_iter=9, tol=0.0),
    "baseline, polynomial": signals.Baseline("polynomial"),
    "denoise, 3 levels": signals.Denoise(level=3),
    "fourier": signals.Fourier(),
    "wavelet, 3 levels": signals.Wavelet(level=3),
    "convolve, 5 numbers": signals.Convolve([1.0, 2.0, 3.0, 2.0, 1.0]),
    "scatter correction": signals.ScatterCorrection(),
}
ROWS, POSITIONS = (2_000, 4_000, 8_000, 16_000), (128, 256, 512, 1_024)


def best(transform, X, rounds=3):
    transform.fit(X[:40])
    times = []
    for _ in range(rounds):
        start = process_time()
        transform.transform(X)
        times.append(process_time() - start)
    return min(times)


def fitted(sizes, times):
    return np.polyfit(np.log(sizes), np.log(times), 1)[0]


def main():
    warnings.simplefilter("ignore")
    X = np.random.default_rng(0).normal(size=(max(ROWS), max(POSITIONS))).cumsum(axis=1)
    print("CPU milliseconds, one thread: 256 positions and more rows, then 4,000 rows and more positions")
    print(
        f"{'transform':<26}"
        + "".join(f"{n:>8,}" for n in ROWS)
        + f"{'exponent':>10}"
        + "".join(f"{d:>8,}" for d in POSITIONS)
        + f"{'exponent':>10}"
    )
    for name, transform in TRANSFORMS.items():
        try:
            transform.fit(X[:40])
        except ValueError as error:
            print(f"{name:<26}{error}")
            continue
        tall = [best(transform, np.ascontiguousarray(X[:n, :256])) for n in ROWS]
        wide = [best(transform, np.ascontiguousarray(X[:4_000, :d])) for d in POSITIONS]
        shown = "".join(f"{1e3 * t:8.1f}" for t in tall) + f"{fitted(ROWS, tall):10.2f}"
        print(
            f"{name:<26}{shown}" + "".join(f"{1e3 * t:8.1f}" for t in wide) + f"{fitted(POSITIONS, wide):10.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
