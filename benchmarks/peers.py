"""Other programs that compute some of the areas; those that are not installed are left out."""

import warnings
from collections.abc import Callable

import numpy as np


def scikit_learn(y: np.ndarray, s: np.ndarray) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    roc_auc_score(y, s), average_precision_score(y, s)


def _length(a: object) -> int:
    return len(a) if hasattr(a, "__len__") else 1


def _pyprg() -> Callable:
    for name, value in (("int", int), ("bool", bool), ("float", float), ("alen", _length)):
        if name not in np.__dict__:
            setattr(np, name, value)  # pyprg uses names that numpy has dropped
    from prg import prg

    def compute(y: np.ndarray, s: np.ndarray) -> None:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            prg.calc_auprg(prg.create_prg_curve(y, s))

    return compute


def _torchmetrics() -> Callable:
    import torch
    from torchmetrics.functional.classification import binary_auroc, binary_average_precision

    torch.set_num_threads(1)

    def compute(y: np.ndarray, s: np.ndarray) -> None:
        y, s = torch.from_numpy(y), torch.from_numpy(s)
        binary_auroc(s, y), binary_average_precision(s, y)

    return compute


def _polars_ds() -> Callable:
    import polars as pl
    import polars_ds as pds

    def compute(y: np.ndarray, s: np.ndarray) -> None:
        frame = pl.DataFrame({"y": y.astype(bool), "s": s})
        frame.select(pds.query_roc_auc("y", "s"))

    return compute


def installed() -> dict[str, Callable]:
    """Functions (y, s) by name: scikit-learn, and pyprg, torchmetrics, polars-ds where installed."""
    peers = {"scikit-learn AUROC + AP": scikit_learn}
    makers = {
        "pyprg AUPRG": _pyprg,
        "torchmetrics AUROC + AP": _torchmetrics,
        "polars-ds AUROC": _polars_ds,
    }
    for name, make in makers.items():
        try:
            compute = make()
            compute(np.array([0, 1, 1, 0]), np.array([0.1, 0.4, 0.3, 0.2]))
            peers[name] = compute
        except Exception as error:  # a peer that does not run is no reason to stop
            print(f"{name}: left out ({type(error).__name__}: {str(error).splitlines()[0][:80]})")
    return peers
