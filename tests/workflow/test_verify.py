"""`aucstudy verify` makes the tables of a study anew, from nothing or from the fetched batches of another run."""

import re
import shutil

import pytest

from aucstudy.verify import check_tables

pytestmark = pytest.mark.whole


def test_a_study_made_anew_is_identical_and_a_given_store_is_not_fetched_again(fresh):
    study = fresh.with_experiments("slim", "disagreement")
    fresh.snakemake("results/tiny/SHA256SUMS", study=study)
    names, store = check_tables(fresh.folder / "results/tiny")
    assert store
    shutil.move(fresh.folder / "data/tiny", fresh.folder / "kept")
    from_nothing, from_store = (
        fresh.run("aucstudy", "verify", str(study), *words).stdout for words in ((), ("--store", "kept"))
    )
    for output in (from_nothing, from_store):
        assert output.splitlines()[-1] == f"identical: all {len(names)} tables, byte for byte"
    stage = r"(?m)^fetch: "
    assert re.search(stage, from_nothing)
    assert not re.search(stage, from_store)
    assert not (fresh.folder / "data/tiny").exists()
