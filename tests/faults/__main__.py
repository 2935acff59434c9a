"""`python -m faults --seconds 1800` (in tests/): faults one after another for as long as one likes, and their outcomes.

Prints a table kind x outcome and writes results/benchmarks/faults.csv; 1 where a run ended in anything but
byte-identical tables or a line that names the file, and then that run's output.
"""

import argparse
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pandas as pd

from aucstudy.store.tables import write_table
from faults.kinds import KINDS, OUTCOMES, Undisturbed

OUT = Path(__file__).parents[2] / "results" / "benchmarks" / "faults.csv"


def main() -> int:
    """Run faults until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800, help="for how long (default: 1800)")
    parser.add_argument("--seed", type=int, default=0, help="of the first fault (default: 0)")
    parser.add_argument("--out", type=Path, default=OUT, help="table to write")
    arguments = parser.parse_args()
    seen, wrong = Counter(), 0
    with tempfile.TemporaryDirectory(prefix="aucstudy-faults-") as folder:
        undisturbed = Undisturbed.run(Path(folder) / "undisturbed")
        end = time.monotonic() + arguments.seconds
        # in random order, so that a short time has some of each
        kinds = random.Random(arguments.seed).sample(list(KINDS), len(KINDS))
        for number, kind in enumerate(itertools.cycle(kinds)):
            if time.monotonic() > end:
                break
            seed = arguments.seed + number
            outcome = undisturbed.after(kind, Path(folder) / str(number), random.Random(f"{kind} {seed}"))
            seen[kind, outcome if outcome in OUTCOMES else "wrong"] += 1
            print(f"{seed}: {kind}: {outcome}", flush=True)
            wrong += outcome not in OUTCOMES
    rows = [(kind, outcome, n) for (kind, outcome), n in sorted(seen.items())]
    table = pd.DataFrame(rows, columns=["kind", "outcome", "times"])
    print(
        table.pivot_table(
            index="kind", columns="outcome", values="times", fill_value=0, aggfunc="sum"
        ).to_string()
    )
    command = f"make faults FOR={arguments.seconds:g}" + (f" SEED={arguments.seed}" if arguments.seed else "")
    write_table(table.assign(command=command), arguments.out)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
