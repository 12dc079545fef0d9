"""Lines of trees, forests, boosting and the views they read, with their part of the compiled core.

    python benchmarks/tree/lines.py

Searched trees, which are no greedy trees, are counted apart.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "src" / "tamis"
SEARCHED = ("tree/optimal", "_core/optimal_tree.hpp", "_core/bind_optimal_tree.cpp")
FOLDERS = ("tree", "forest", "boosting", "views", "_core/tree")
CORE = (
    "binned_table bootstrap boosting coding criterion divide exponential forest frontier gradient gradient_splitter "
    "gradient_tree node_rows groups grow histogram importance joined_bins level_set node out_of_bag rng route "
    "row_order splitter threads tie optimal_tree"
)
BINDINGS = "bind_tree bind_forest bind_boosting bind_route bind_table bind_optimal_tree"
#: Views that no tree reads.
OTHER_VIEWS = ("views/moments.py", "views/neighbours.py", "views/lazy/fold_moments.py", "views/lazy/key_coding.py")


def length(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def main() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.[hp][py]*")]
    paths += [ROOT / "_core" / f"{name}.hpp" for name in CORE.split()]
    paths += [ROOT / "_core" / f"{name}.cpp" for name in BINDINGS.split()]
    lines = {
        path.relative_to(ROOT).as_posix(): length(path) for path in paths if path.suffix in (".py", ".hpp", ".cpp")
    }
    searched = sum(n for name, n in lines.items() if name.startswith(SEARCHED))
    views = sum(n for name, n in lines.items() if name in OTHER_VIEWS)
    lines = {name: n for name, n in lines.items() if not name.startswith(SEARCHED) and name not in OTHER_VIEWS}
    total = sum(lines.values())
    for name in (*FOLDERS[:4], "_core"):
        print(f"{name:10} {sum(n for path, n in lines.items() if path.startswith(f'{name}/')):7,}")
    print(f"{'together':10} {total:7,} of 12,000 asked, {total / 12_000:.2f} times")
    print(f"besides, searched trees {searched:,} and views that no tree reads {views:,}")
    for name, n in sorted(lines.items(), key=lambda item: -item[1])[:10]:
        print(f"  {n:5,} {name}")


if __name__ == "__main__":
    main()
