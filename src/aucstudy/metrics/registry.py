"""The metrics: one entry for each, from which everything else follows.

An entry has the names, the definition, the range and the source of a metric. Arrays of all metrics have them in the
order of `metrics()`. The metrics of the package come first. A metric of one's own is registered by `register`, or
lies in a Python file of its own under the name METRIC, which is registered wherever the path of the file is given:

>>> metric("ap").key, metric("AUPRG").key
('average_precision', 'auprg')
>>> ranking_keys()
('auroc', 'aupr', 'auprg', 'average_precision')
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path

from aucstudy.errors import InputError
from aucstudy.metrics import definition, influence_terms
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.kernel import KernelAreas
from aucstudy.study_folder.files import names_file
from aucstudy.study_folder.modules import import_file


@dataclass(frozen=True)
class Metric:
    """A metric of a ranking, of which more is better.

    Attributes
    ----------
    key : its name in tables, files and Python, in lower-case letters, digits and underscores.
    label : its name in a sentence.
    short_label : its name at the head of a column.
    paper : where it was defined.
    terms : `terms(t, f, d, e, totals)` returns what each group of tied rows with a positive adds, from arrays (k,): the
        d positives and e negatives of the group, and the t positives and f negatives above it. `totals` are the
        `definition.Totals`. The result is an array with an entry for each group, or a tuple of such arrays.
    value : `value(totals, *sums)` returns the metric from the sums of these arrays.
    lowest, highest, chance : the bounds of the metric at P positives and N negatives, and its value if all rows have
        the same score, each as a function of (P, N). A bound need not be reached.
    names : further names under which it is known.
    ranks_like : the key of a metric that orders models of the same rows alike, or "". An audit does not rank by both.
    starts_at_zero_gain : whether it is an integral from recall gain 0 on, of which less than one positive below this
        point says nothing.
    compiled : whether the compiled pass `kernel.areas_of_groups` returns it by its key. Otherwise it is computed from
        the counted groups by its definition.
    influence : `influence(t, f, d, e, P, N)` returns terms (k,) that add up to the metric, but for a constant; their
        derivatives are the influences of rows. Without it, intervals come from random halves of the rows, also where
        those of other metrics come from influences.
    """

    key: str
    label: str
    short_label: str
    paper: str
    terms: Callable
    value: Callable[..., float]
    lowest: Callable[[float, float], float]
    highest: Callable[[float, float], float]
    chance: Callable[[float, float], float]
    names: tuple[str, ...] = ()
    ranks_like: str = ""
    starts_at_zero_gain: bool = False
    compiled: bool = False
    influence: Callable | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.key):
            raise ValueError(
                f"metric {self.key!r}: a key of lower-case letters, digits and underscores is needed"
            )
        if self.compiled and self.key not in KernelAreas._fields:
            raise ValueError(f"metric {self.key!r}: the compiled kernel does not compute it")

    def known_as(self) -> set[str]:
        return {_plain(name) for name in (self.key, self.label, self.short_label, *self.names)}


def _prevalence(P: float, N: float) -> float:
    return P / (P + N)


METRICS = (
    Metric(
        key="auroc",
        label="area under the ROC curve",
        short_label="AUROC",
        names=("roc_auc",),
        paper="Hanley and McNeil 1982",
        terms=definition.ordered_pairs,
        value=definition.auroc_of,
        lowest=lambda P, N: 0.0,
        highest=lambda P, N: 1.0,
        chance=lambda P, N: 0.5,
        compiled=True,
        influence=influence_terms.auroc,
    ),
    Metric(
        key="aupr",
        label="area under the precision-recall curve",
        short_label="AUPR",
        names=("pr_auc",),
        paper="Davis and Goadrich 2006; Keilwagen, Grosse and Grau 2014",
        terms=definition.precision_parts,
        value=definition.aupr_of,
        lowest=lambda P, N: aucpr_min(_prevalence(P, N)),
        highest=lambda P, N: 1.0,
        chance=_prevalence,
        compiled=True,
        influence=influence_terms.aupr,
    ),
    Metric(
        key="auprg",
        label="area under the precision-recall-gain curve",
        short_label="AUPRG",
        paper="Flach and Kull 2015",
        terms=definition.lost_gains,
        value=definition.auprg_of,
        lowest=lambda P, N: (1 - 1 / _prevalence(P, N)) / 2,
        highest=lambda P, N: 1.0,
        chance=lambda P, N: 0.0,
        starts_at_zero_gain=True,
        compiled=True,
        influence=influence_terms.auprg,
    ),
    Metric(
        key="aucnpr",
        label="normalised area under the precision-recall curve",
        short_label="AUCNPR",
        paper="Boyd et al. 2012",
        terms=definition.precision_parts,
        value=definition.aucnpr_of,
        lowest=lambda P, N: 0.0,
        highest=lambda P, N: 1.0,
        chance=lambda P, N: 1 - N / (P + N) / (1 - aucpr_min(_prevalence(P, N))),
        ranks_like="aupr",
        compiled=True,
        influence=influence_terms.aucnpr,
    ),
    Metric(
        key="average_precision",
        label="average precision",
        short_label="AP",
        paper="Manning, Raghavan and Schuetze 2008",
        terms=definition.steps,
        value=definition.average_precision_of,
        lowest=lambda P, N: 0.0,
        highest=lambda P, N: 1.0,
        chance=_prevalence,
        compiled=True,
        influence=influence_terms.average_precision,
    ),
)
if tuple(entry.key for entry in METRICS if entry.compiled) != KernelAreas._fields or any(
    not earlier.compiled and later.compiled for earlier, later in pairwise(METRICS)
):
    raise ValueError("METRICS must begin with the metrics of the compiled kernel, in its order")
N_COMPILED = len(KernelAreas._fields)
# This is replaced by another tuple wherever a metric is registered or forgotten.
_registered: tuple[Metric, ...] = METRICS


def metrics() -> tuple[Metric, ...]:
    """Return all metrics. Those that the kernel computes come first."""
    return _registered


def further_metrics() -> tuple[Metric, ...]:
    """Return the metrics that are computed by their definition, because the kernel does not compute them."""
    return _registered[N_COMPILED:]


def keys() -> tuple[str, ...]:
    return tuple(entry.key for entry in metrics())


def labels() -> dict[str, str]:
    """Return the short labels by key."""
    return {entry.key: entry.short_label for entry in metrics()}


def ranking_keys() -> tuple[str, ...]:
    """Return the keys of the metrics that do not order models of the same rows as another one does."""
    return tuple(entry.key for entry in metrics() if not entry.ranks_like)


def index(key: str) -> int:
    """Return where a metric is in arrays of all metrics."""
    return keys().index(key)


def metric(name: str) -> Metric:
    """Return the metric with a key, a label or another of its names.

    Upper and lower case, spaces, hyphens and underscores make no difference. ValueError for an unknown name.
    """
    for entry in metrics():
        if _plain(name) in entry.known_as():
            return entry
    raise ValueError(f"metric {name!r} is not known; {_nearest(name)}expected: {', '.join(keys())}")


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", str(name)).lower()


def _nearest(name: str) -> str:
    close = get_close_matches(str(name).lower(), keys(), 1)
    return f"did you mean {close[0]!r}? " if close else ""


def register(entry: Metric) -> Metric:
    """Add a metric of one's own, and return it. ValueError where another metric has one of its names."""
    if entry in metrics():
        return entry
    for known in metrics():
        if shared_names := entry.known_as() & known.known_as():
            raise ValueError(
                f"metric {entry.key!r}: the name {min(shared_names)!r} is taken by metric {known.key!r}; another key, "
                "label or name is needed"
            )
    if entry.ranks_like and entry.ranks_like not in keys():
        raise ValueError(f"metric {entry.key!r}: ranks like {entry.ranks_like!r}, which is not known")
    if entry.compiled:
        raise ValueError(f"metric {entry.key!r}: only metrics of the package are compiled")
    _replace((*metrics(), entry))
    return entry


def forget(key: str) -> None:
    """Remove a metric of one's own."""
    _replace(tuple(entry for entry in metrics() if entry in METRICS or entry.key != key))


def _replace(entries: tuple[Metric, ...]) -> None:
    global _registered
    _registered = entries


def metric_named(name: str) -> Metric:
    """Return the metric with this name, or the METRIC of the Python file with this path, which is registered.

    InputError for an unknown name, and for a file that is missing or holds no METRIC.
    """
    try:
        return register(_metric_of_file(Path(name))) if names_file(name) else metric(name)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{name}: {error}" if names_file(name) else str(error)) from None


def check_names(names: Iterable[str]) -> None:
    """Raise the InputError that `metric_named` would raise for one of the names, and register nothing."""
    before = metrics()
    try:
        for name in names:
            metric_named(name)
    finally:
        _replace(before)


def _metric_of_file(path: Path) -> Metric:
    if not path.is_file():
        raise InputError(f"{path}: no such file; a Python file with a METRIC is needed")
    entry = getattr(import_file(path.absolute()), "METRIC", None)
    if not isinstance(entry, Metric):
        raise InputError(f"{path}: holds no METRIC; METRIC = Metric(...) is needed")
    return entry
