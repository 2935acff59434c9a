"""Write what Python's tools answer to cases.json, with a line of JSON for each answer.

Run it as `python answers.py cases.json > answers.jsonl`. It needs no package of this project. A tool that is
not installed is named on stderr and left out.
"""

import contextlib
import io
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

Function = Callable[..., float]


def aucstudy() -> dict[str, Function]:
    from aucstudy import metrics

    return {
        name: getattr(metrics, name) for name in ("auroc", "average_precision", "aupr", "auprg", "aucnpr")
    }


def scikit_learn() -> dict[str, Function]:
    from sklearn import metrics

    def trapezoid(y: Any, s: Any, **options: Any) -> float:
        precision, recall, _ = metrics.precision_recall_curve(y, s, **options)
        return metrics.auc(recall, precision)

    return {
        "roc_auc_score": metrics.roc_auc_score,
        "average_precision_score": metrics.average_precision_score,
        "auc(precision_recall_curve)": trapezoid,
    }


def torchmetrics() -> dict[str, Function]:
    import torch
    from torchmetrics.functional import classification

    def of(function: Function) -> Function:
        return lambda y, s: function(torch.tensor(s), torch.tensor(y))

    def binned(y: Any, s: Any) -> float:
        return classification.binary_average_precision(torch.tensor(s), torch.tensor(y), thresholds=200)

    return {
        "binary_auroc": of(classification.binary_auroc),
        "binary_average_precision": of(classification.binary_average_precision),
        "binary_average_precision(thresholds=200)": binned,
    }


def torcheval() -> dict[str, Function]:
    import torch
    from torcheval.metrics import functional

    def of(function: Function) -> Function:
        return lambda y, s: function(torch.tensor(s), torch.tensor(y))

    return {name: of(getattr(functional, name)) for name in ("binary_auroc", "binary_auprc")}


def xgboost() -> dict[str, Function]:
    import xgboost

    def of(name: str) -> Function:
        def answer(y: Any, s: Any, sample_weight: Any = None) -> float:
            rows = xgboost.DMatrix(np.zeros((len(y), 1)), y, weight=sample_weight, base_margin=s)
            settings = {"objective": "reg:squarederror", "eval_metric": name, "base_score": 0.0}
            # The model has no tree, so that the base margins are its scores.
            booster = xgboost.train({**settings, "nthread": 1}, rows, num_boost_round=0)
            return float(booster.eval(rows).split(":")[-1])

        return answer

    return {"auc": of("auc"), "aucpr": of("aucpr")}


def lightgbm() -> dict[str, Function]:
    import lightgbm

    def of(name: str) -> Function:
        def answer(y: Any, s: Any, sample_weight: Any = None) -> float:
            settings = {"objective": "none", "metric": name, "verbosity": -1, "num_threads": 1}
            rows = lightgbm.Dataset(
                np.arange(len(y))[:, None], y, weight=sample_weight, init_score=s, params=settings
            )
            booster = lightgbm.Booster(settings, rows)
            ((_, _, value, _),) = booster.eval_train()
            return value

        return answer

    return {"auc": of("auc"), "average_precision": of("average_precision")}


def catboost() -> dict[str, Function]:
    from catboost.utils import eval_metric

    def of(name: str) -> Function:
        def answer(y: Any, s: Any, sample_weight: Any = None) -> float:
            return eval_metric(y, s, name, weight=sample_weight)[0]

        return answer

    return {"AUC": of("AUC:hints=skip_train~false"), "PRAUC": of("PRAUC")}


def polars_ds() -> dict[str, Function]:
    import polars
    import polars_ds

    def roc_auc(y: Any, s: Any) -> float:
        frame = polars.DataFrame({"y": np.array(y, dtype=bool), "s": s})
        return frame.select(polars_ds.query_roc_auc("y", "s")).item()

    def average_precision(y: Any, s: Any) -> float:
        frame = polars.DataFrame({"y": np.array(y, dtype=bool), "s": s})
        return frame.select(polars_ds.query_binary_metrics("y", "s")).item()["avg_precision"]

    return {"query_roc_auc": roc_auc, "query_binary_metrics": average_precision}


def clickhouse() -> dict[str, Function]:
    import chdb
    import pandas

    def of(name: str) -> Function:
        def answer(y: Any, s: Any) -> float:
            # chdb finds the frame by its name.
            frame = pandas.DataFrame({"y": y, "s": s})  # noqa: F841
            area = chdb.query(f"SELECT {name}(groupArray(s), groupArray(y)) FROM Python(frame)", "CSV")
            return float(str(area))

        return answer

    return {name: of(name) for name in ("arrayROCAUC", "arrayAUCPR")}


def pycocotools() -> dict[str, Function]:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def boxes(rows: Iterable[int], images: Sequence[dict], **facts: Sequence) -> COCO:
        """Return a data set with one box for each of these rows, each in an image of its own."""
        box = {"category_id": 1, "bbox": [0, 0, 1, 1], "area": 1, "iscrowd": 0}
        made = COCO()
        made.dataset = {"images": images, "categories": [{"id": 1}], "annotations": [
            {**box, "id": row + 1, "image_id": row, **{key: values[row] for key, values in facts.items()}}
            for row in rows
        ]}  # fmt: skip
        made.createIndex()
        return made

    def average_precision(y: Any, s: Any) -> float:
        """Return AP where every row is a detection with its score, and is right if its label is 1."""
        images = [{"id": row} for row in range(len(y))]
        with contextlib.redirect_stdout(io.StringIO()):
            truth = boxes((row for row in range(len(y)) if y[row]), images)
            evaluation = COCOeval(truth, boxes(range(len(y)), images, score=s), "bbox")
            of = evaluation.params
            of.iouThrs, of.areaRng, of.areaRngLbl, of.maxDets = [0.5], [[0, 1e10]], ["all"], [1]
            evaluation.evaluate()
            evaluation.accumulate()
        precision = evaluation.eval["precision"]
        return float(precision.mean()) if (precision > -1).all() else float("nan")

    return {"COCOeval": average_precision}


def pyprg() -> dict[str, Function]:
    def length(x: Any) -> int:
        return len(x) if hasattr(x, "__len__") else 1

    # pyprg uses names that numpy has dropped.
    for name, value in {"int": int, "bool": bool, "float": float, "alen": length}.items():
        if name not in np.__dict__:
            setattr(np, name, value)
    from prg import prg

    return {"calc_auprg": lambda y, s: prg.calc_auprg(prg.create_prg_curve(np.array(y), np.array(s)))}


def tensorflow() -> dict[str, Function]:
    import tensorflow

    def of(curve: str) -> Function:
        def answer(y: Any, s: Any, sample_weight: Any = None) -> float:
            metric = tensorflow.keras.metrics.AUC(curve=curve)
            metric.update_state(y, s, sample_weight=sample_weight)
            return float(metric.result())

        return answer

    return {'AUC(curve="ROC")': of("ROC"), 'AUC(curve="PR")': of("PR")}


def pyspark() -> dict[str, Function]:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def of(name: str) -> Function:
        def answer(y: Any, s: Any) -> float:
            rows = [(float(label), float(score)) for label, score in zip(y, s, strict=True)]
            frame = session.createDataFrame(rows, ["label", "rawPrediction"])
            return BinaryClassificationEvaluator(metricName=name).evaluate(frame)

        return answer

    return {name: of(name) for name in ("areaUnderROC", "areaUnderPR")}


def river() -> dict[str, Function]:
    from river import metrics

    def roc_auc(y: Any, s: Any) -> float:
        metric = metrics.ROCAUC(n_thresholds=200)
        for label, score in zip(y, s, strict=True):
            metric.update(bool(label), {True: score})
        return metric.get()

    return {"ROCAUC(n_thresholds=200)": roc_auc}


# The keys are the tools' names in their package index.
TOOLS = {
    "aucstudy": aucstudy, "scikit-learn": scikit_learn, "torchmetrics": torchmetrics, "torcheval": torcheval,
    "xgboost-cpu": xgboost, "lightgbm": lightgbm, "catboost": catboost, "polars-ds": polars_ds, "pyprg": pyprg,
    "tensorflow-cpu": tensorflow, "pyspark": pyspark, "river": river, "chdb": clickhouse, "pycocotools": pycocotools,
}  # fmt: skip
# Only these are asked about cases whose rows are given by a rule: they take arrays of 17 million rows in seconds.
ARRAYS = ("aucstudy", "scikit-learn", "xgboost-cpu", "lightgbm", "catboost")
# These are not asked about cases of many rows. pycocotools gives tied rows an order, and river is slow
# because it takes rows one by one.
FEW_ROWS = ("pycocotools", "river")
WEIGHTED = ("aucstudy", "scikit-learn", "xgboost-cpu", "lightgbm", "catboost", "tensorflow-cpu")
AVERAGED = {
    ("aucstudy", "auroc"): "auroc", ("aucstudy", "average_precision"): "average_precision",
    ("scikit-learn", "roc_auc_score"): "auroc",
    ("scikit-learn", "average_precision_score"): "average_precision",
}  # fmt: skip


def questions(case: dict, tool: str, name: str) -> Iterator[tuple[str, dict]]:
    """Yield the averages that a function is asked for, or "", each with the options of the question."""
    if case["kind"] == "several labels":
        for average in ("macro", "weighted", "micro") if (tool, name) in AVERAGED else ():
            yield f"{AVERAGED[tool, name]}_{average}", {"average": average}
    elif ("counts" in case and tool in FEW_ROWS) or ("rule" in case and tool not in ARRAYS):
        return
    elif "weights" in case:
        if tool in WEIGHTED:
            yield "", {"sample_weight": case["weights"]}
    elif options := {key: case[key] for key in ("prevalence", "recall_range") if key in case}:
        if tool == "aucstudy" and name in case["values"] and not ("prevalence" in case and name == "auroc"):
            yield "", options
    else:
        yield "", {}


def with_all_rows(case: dict) -> dict:
    """Return the case with each row repeated as often as `counts` says, or with the rows of its rule as arrays."""
    if "rule" in case:
        rule = case["rule"]
        row = np.arange(rule["rows"])
        is_rare = row % rule["rare_period"] == rule["rare_row"]
        scores = (row % rule["score_period"] / 64).astype(case["score_type"])
        return case | {
            "labels": np.where(is_rare, rule["rare_label"], 1 - rule["rare_label"]),
            "scores": scores,
        }
    if "counts" not in case:
        return case
    columns = [key for key in ("labels", "scores", "weights") if key in case]
    return case | {key: np.repeat(case[key], case["counts"]).tolist() for key in columns}


def main(path: str, *chosen: str) -> None:
    with open(path, encoding="utf-8") as stream:
        cases = json.load(stream)["cases"]
    for tool in chosen or TOOLS:
        try:
            functions = TOOLS[tool]()
        except Exception as error:  # The tool is left out with a message.
            print(f"{tool}: left out ({type(error).__name__}: {str(error).splitlines()[0]})", file=sys.stderr)
            continue
        for case in map(with_all_rows, cases):
            for name, function in functions.items():
                for average, options in questions(case, tool, name):
                    line = {"tool": tool, "version": version(tool), "language": "Python", "function": name}
                    line |= {"case": case["id"]} | ({"average": average} if average else {})
                    try:
                        value = float(function(case["labels"], case["scores"], **options))
                        line["value"] = None if np.isnan(value) else value
                    except Exception as error:  # A refusal is an answer, too.
                        line["error"] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"[
                            :120
                        ]
                    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:])
