"""The source of the study `uw-cse`, with a small folder of facts that the test writes."""

import sys

import numpy as np
import pytest

from aucstudy import config
from aucstudy.config import STUDIES, load_config
from aucstudy.errors import InputError
from aucstudy.sources import fetch_batches, has_rows, source_name
from aucstudy.store.task_store import Batch, read_predictions, read_tasks
from aucstudy.study_folder.modules import import_file

source = import_file(STUDIES / "uw-cse" / "source.py")
SETTINGS = {"flows": ["naive_bayes", "zero_r"]}


def write_area(folder, number, n_students=6):
    """Write the facts of an area with students s1, s2, ... and professors p1 and p2.

    Professor p1 advises the first half of the students and has a paper with each of them.
    """
    test = folder / f"fold{number}" / "test"
    test.mkdir(parents=True)
    s, p = ([f"{kind}{number}_{i}" for i in range(1, n + 1)] for kind, n in (("s", n_students), ("p", 2)))
    facts = [f"student({x})." for x in s] + [f"professor({x})." for x in p]
    facts += [
        f"hasposition({p[0]},faculty).",
        f"inphase({s[0]},post_quals).",
        f"yearsinprogram({s[0]},year_3).",
    ]
    facts += [f"taughtby(c{number},{p[0]},autumn_0001).", f"ta(c{number},{s[0]},autumn_0001)."]
    advised = s[: n_students // 2]
    for i, student in enumerate(advised):
        facts += [f"publication(t{number}_{i},{student}).", f"publication(t{number}_{i},{p[0]})."]
    positive = [(x, p[0]) for x in advised]
    people = [*s, *p]
    negative = [(a, b) for a in people for b in people if (a, b) not in positive]
    (test / "test_facts.txt").write_text("\n".join(facts) + "\n")
    for name, pairs in (("pos", positive), ("neg", negative)):
        (test / f"test_{name}.txt").write_text("".join(f"advisedby({a},{b}).\n" for a, b in pairs))


@pytest.fixture
def folder(tmp_path):
    for number in (1, 2, 3):
        write_area(tmp_path / "facts", number)
    return tmp_path / "facts"


def test_only_student_professor_pairs_are_kept(folder):
    data, areas = source.rows({**SETTINGS, "folder": str(folder)}, "uw-cse", 1)
    assert len(data.target) == 3 * 6 * 2
    assert data.target.sum() == 9
    assert np.bincount(areas).tolist() == [12, 12, 12]


def test_features_say_what_a_pair_has_in_common(folder):
    data, _ = source.rows({**SETTINGS, "folder": str(folder)}, "uw-cse", 1)
    first = data.features.iloc[0]
    assert first["common_publications"] == 1
    assert first["courses_assisted"] == 1
    assert first["years_in_programme"] == 3
    assert first["phase"] == "post_quals"
    assert data.features.loc[~data.target, "common_publications"].max() == 0


def test_the_source_fills_a_task_store_whose_folds_are_the_areas(folder, tmp_path):
    settings = {**SETTINGS, "folder": str(folder)}
    source.check(settings, models_per_task=2, min_flows=2)
    source.fetch(Batch(tmp_path / "store", settings, models_per_task=2, min_flows=2, seed=1))
    task = read_tasks(tmp_path / "store").iloc[0]
    assert task["source"] == "relational"
    assert (task["n_rows"], task["n_positive"], task["n_folds"]) == (36, 9, 3)
    result = read_predictions(tmp_path / "store", "uw-cse")
    assert result.scores.shape == (36, 2)
    assert np.bincount(result.fold).tolist() == [12, 12, 12]


def test_a_line_that_is_no_atom_is_named(folder):
    path = folder / "fold2" / "test" / "test_pos.txt"
    path.write_text("advisedby(a,b).\nadvisedby a b\n")
    with pytest.raises(InputError, match=r"fold2/test/test_pos.txt: line 2: 'advisedby a b' is no atom"):
        source.read_areas(folder)


def test_a_missing_file_and_a_missing_folder_are_named(folder, tmp_path):
    (folder / "fold3" / "test" / "test_neg.txt").unlink()
    with pytest.raises(InputError, match=r"test_neg\.txt: no such file"):
        source.read_areas(folder)
    with pytest.raises(InputError, match="is no folder; expected: fold1"):
        source.check({**SETTINGS, "folder": str(tmp_path / "none")}, models_per_task=2, min_flows=2)


def test_settings_that_mean_nothing_are_refused_by_name(folder):
    for settings, told in (
        ({"flow": ["zero_r"]}, "source_settings.flow: unknown key; known are folder, flows"),
        ({"folder": None}, "source_settings.flows: is None; expected: a list of flows, each once"),
        ({"flows": ["zero_r", "zero_r"]}, "expected: a list of flows, each once"),
        ({"flows": ["zero"]}, "source_settings.flows: 'zero' is not known; known are "),
        ({"flows": ["zero_r"]}, "models_per_task: 2 is asked for, source_settings.flows allows 1"),
        ({**SETTINGS, "folder": 5}, "source_settings.folder: 5 is no folder"),
    ):
        with pytest.raises(InputError, match=told):
            source.check(settings, models_per_task=2, min_flows=1)


def test_the_study_has_rows_of_one_task_and_its_source_keeps_its_name(monkeypatch):
    monkeypatch.setattr(config, "missing_packages", lambda extra: [])
    study = load_config("studies/uw-cse")
    assert (source_name(study), has_rows(study), fetch_batches(study)) == ("relational", True, 1)
    assert len(study["source_settings"]["flows"]) == study["models_per_task"] == 8


def test_the_study_says_the_line_that_installs_its_package(monkeypatch):
    monkeypatch.setattr(config, "missing_packages", lambda extra: ["relational-datasets"])
    with pytest.raises(
        InputError, match=r"\(relational-datasets\); install them by: make \.venv/\.has-relational"
    ):
        load_config("studies/uw-cse")


def test_without_folder_and_package_the_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "relational_datasets", None)
    with pytest.raises(InputError, match="pip install relational-datasets"):
        source.read_areas(None)


def test_white_space_comments_and_case_do_not_matter():
    assert source.parse_atoms(["// a comment", "", " AdvisedBy( a , b ) "], "x") == [
        ("advisedby", ("a", "b"))
    ]
