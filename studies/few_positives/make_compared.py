"""Make the table `few_positives_compared` of a study again from its committed rows, without any fit.

In the folder of the repository:

    python -m studies.few_positives.make_compared few_natural
"""

import sys

from aucstudy.config import REPOSITORY, STUDIES, load_config
from aucstudy.store.tables import read_table, write_table

from .few_positives_compared import compared_table


def main(study: str) -> None:
    config = load_config(STUDIES / "few_positives" / f"{study}.yaml")
    tables, settings = REPOSITORY / "results" / study / "tables", config["few_positives"]
    rows = read_table(tables / "few_positives_groups.csv.gz")
    fewest_groups, resamples = settings["fewest_groups"], settings["resamples"]
    table = compared_table(rows, len(settings["bands"]) > 0, fewest_groups, resamples, config["seed"])
    write_table(table, tables / "few_positives_compared.csv")


if __name__ == "__main__":
    main(sys.argv[1])
