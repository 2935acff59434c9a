"""The last job of an experiment: its figures, its captions, and what it finds in sentences."""

import json
from collections.abc import Mapping
from pathlib import Path

from aucstudy.experiments.inputs import Study
from aucstudy.experiments.registry import EXPERIMENTS
from aucstudy.presentation.style import save
from aucstudy.store.folders import new_folder

FINDINGS = "findings.json"


def tell(
    name: str, store: Path, tables: Path, figures: Path, folder: Path, *, settings: Mapping[str, object]
) -> None:
    """Draw an experiment's figures, and write its captions and findings into a new folder.

    Parameters
    ----------
    tables, figures : the folders of the study's tables and figures.
    folder : gets `table-<name>.rst` and `figure-<name>.rst`, the captions, and `findings.json`: question, sentences,
        and the figures with their captions.
    """
    experiment = EXPERIMENTS[name]
    telling = experiment.load("telling")
    study = Study(store, tables, settings=settings)
    drawn = {figure: telling.FIGURES[figure] for figure in experiment.figures}
    for figure, (draw, _) in drawn.items():
        save(draw(study), {kind: str(figures / f"{figure}.{kind}") for kind in ("png", "svg")})
    question = getattr(telling, "QUESTION", "")
    captions = {f"table-{table}": telling.TABLES[table] for table in experiment.tables}
    captions |= {f"figure-{figure}": caption for figure, (_, caption) in drawn.items()}
    findings = {
        "question": question,
        "sentences": telling.findings(study) if question else [],
        "figures": {figure: caption for figure, (_, caption) in drawn.items()},
    }
    with new_folder(folder) as temporary:
        for stem, caption in captions.items():
            (temporary / f"{stem}.rst").write_text(caption + "\n", encoding="utf-8")
        (temporary / FINDINGS).write_text(json.dumps(findings, indent=1) + "\n", encoding="utf-8")
