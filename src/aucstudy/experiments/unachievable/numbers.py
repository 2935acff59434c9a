"""Tables 1 to 3 of Boyd et al. 2012 as printed, with what their own numbers imply."""

import pandas as pd

from aucstudy.experiments.inputs import Study
from aucstudy.published.boyd_tables import table_1, table_2, table_3


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The tables; nothing of the study is read."""
    return {"boyd_table_1": table_1(), "boyd_table_2": table_2(), "boyd_table_3": table_3()}
