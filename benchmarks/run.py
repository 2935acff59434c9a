"""Run the benchmarks and write their tables into results/benchmarks/ (`make bench`)."""

import argparse
import importlib
import os
import sys
from pathlib import Path

ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
# Each module has a function run(out, largest).
BENCHMARKS = {
    "metrics": "metrics_speed",
    "area_intervals_edges": "area_intervals_edges",
    "area_interval_tournament": "area_interval_tournament",
    "area_interval_differences": "area_interval_differences",
    "audit_leaders": "audit_leaders",
    "few_positives_intervals": "few_positives_intervals",
    "few_positives_limits": "few_positives_limits",
    "interval_coverage": "interval_coverage",
    "large_tables": "large_tables",
}


def main() -> None:
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # numpy must not be loaded before this.
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--largest", type=float, default=1e7, help="largest number of rows (default: 1e7)")
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks"), help="folder to write into")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark {sorted(unknown)[0]!r}; there are {', '.join(BENCHMARKS)}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or BENCHMARKS:
        print(f"benchmark {name}", file=sys.stderr)
        importlib.import_module(BENCHMARKS[name]).run(arguments.out, int(arguments.largest))


if __name__ == "__main__":
    main()
