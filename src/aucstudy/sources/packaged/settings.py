"""What a study asks of the packaged source: the names in its settings, checked before anything is fitted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from aucstudy.errors import InputError
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.learners.outcomes import outcome_file, outcomes
from aucstudy.learners.packaged import known_names, names_meant
from aucstudy.learners.weka.bridge import check_installed
from aucstudy.learners.weka.flows import WEKA_FLOWS, WekaFlow
from aucstudy.sources.even_batches import even_batches

LEARNERS = ("scikit-learn", "weka")


@dataclass(frozen=True)
class Chosen:
    """The data sets and flows of a study and how many folds each task has.

    Attributes
    ----------
    rows : a larger set is cut to so many rows; None: none is.
    learners : one of LEARNERS.
    flow_seconds : a flow of WEKA that is predicted to take longer on a task is not fitted there; None: any time.
    """

    datasets: tuple[str, ...]
    flows: tuple[Flow, ...] | tuple[WekaFlow, ...]
    folds: int
    rows: int | None = None
    learners: str = "scikit-learn"
    flow_seconds: float | None = None


def chosen(settings: Mapping[str, object]) -> Chosen:
    """Read the block `packaged` of a configuration: `datasets`, `flows`, `folds`, `rows`, `learners` and
    `flow_seconds`.

    Raises
    ------
    InputError
        A name is unknown (the nearest known one is named) or repeated, a list is empty, `folds` is below 2,
        `rows` below 100, or `flow_seconds` is asked of learners whose costs are not known.

    Examples
    --------
    >>> chosen({"datasets": ["iris"], "flows": "all", "folds": 10}).datasets
    ('iris',)
    """
    word = settings.get("datasets", "default")
    meant = names_meant(word) if isinstance(word, str) else None
    names = tuple(meant) if meant else _names(settings, "datasets", "default", known_names())
    learners = settings.get("learners", "scikit-learn")
    if learners not in LEARNERS:
        raise InputError(f"packaged.learners: {learners!r} is not one of {', '.join(LEARNERS)}")
    flow_seconds = settings.get("flow_seconds")
    if flow_seconds is not None and learners != "weka":
        raise InputError(f"packaged.flow_seconds: {flow_seconds!r} is for learners: weka; wanted null")
    known = WEKA_FLOWS if learners == "weka" else FLOWS
    flows = _names(settings, "flows", "all", known)
    folds = settings.get("folds", 10)
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 2:
        raise InputError(f"packaged.folds: {folds!r} is not a whole number of at least 2")
    rows = settings.get("rows")
    if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 100):
        raise InputError(f"packaged.rows: {rows!r} is neither null nor a whole number of at least 100")
    # The registry's order, whatever the order in the settings: it must not change a result.
    drawn_from = tuple(flow for name, flow in known.items() if name in flows)
    return Chosen(names, drawn_from, folds, rows, learners, flow_seconds)


def _names(settings: Mapping[str, object], key: str, word: str, known: Collection[str]) -> tuple[str, ...]:
    """The names under a key of the settings, where `word` stands for all that are known."""
    given = settings.get(key, word)
    if given == word:
        return tuple(known)
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise InputError(f"packaged.{key}: {given!r} is neither {word!r} nor a list of names")
    for name in given:
        if name not in known:
            nearest = get_close_matches(str(name), known, n=1, cutoff=0)[0]
            raise InputError(f"packaged.{key}: {name!r} is not known; the nearest known name is {nearest!r}")
    repeated = [name for i, name in enumerate(given) if name in given[:i]]
    if repeated:
        raise InputError(f"packaged.{key}: {repeated[0]!r} is listed more than once")
    return tuple(given)


def check(settings: Mapping[str, object], *, models_per_task: int, min_flows: int) -> None:
    """Say what is wrong with the settings of a study, before any fitting.

    Raises
    ------
    InputError
        As `chosen` does, a package of the wide study or WEKA is asked for and not installed, or more models or
        flows per task are asked for than there are flows chosen.
    """
    study = chosen(settings)
    if study.learners == "weka":
        check_installed()
    for name in study.datasets:
        if name in outcomes():
            outcome_file(name)
    n_flows = len(study.flows)
    for key, value in (("models_per_task", models_per_task), ("min_flows", min_flows)):
        if not 1 <= value <= n_flows:
            raise InputError(f"{key}: {value} is asked for, packaged.flows allows 1 to {n_flows}")


def task_ids(settings: Mapping[str, object]) -> list[str]:
    """Names of the tasks that a study asks for; a task has the name of its data set."""
    return list(chosen(settings).datasets)


def even_batch(seconds: Mapping[str, float], batch: int, batches: int) -> list[str]:
    """The tasks of one of `even_batches`."""
    if not 0 <= batch < batches:
        raise ValueError(f"batch is {batch} of {batches} batches, wanted 0 to {batches - 1}")
    return even_batches(seconds, batches)[batch]
