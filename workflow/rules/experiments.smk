# Stage 3: each experiment is measured in batches of tasks, gathered into tables, and drawn.
KINDS = ("png", "svg")


for experiment in EXPERIMENTS.values():
    if experiment.has("of_task"):

        rule:
            name:
                f"measure_{experiment.stem}"
            input:
                **{
                    EXPERIMENTS[name].stem: partial(measured_batches, EXPERIMENTS[name])
                    for name in experiment.frames_of
                },
                code=files_of(
                    experiment,
                    ("of_task", "choose"),
                    "aucstudy.stages.measuring",
                    *[SOURCES[config["source"]]] * bool(experiment.rows),
                ),
                predictions=f"{DATA}/predictions",
                scores=f"{DATA}/scores.parquet",  # the score stage has read every file and reports a broken one
                tasks=f"{DATA}/tasks.csv",
            output:
                directory(f"{DATA}/measured/{experiment.stem}/{{batch}}"),
            log:
                f"{LOGS}/measure_{experiment.stem}_{{batch}}.log",
            conda:
                "../../environment.yml"
            resources:
                runtime=partial(measuring_minutes, experiment),
                mem_mb=partial(measuring_megabytes, experiment),
            params:
                experiment=experiment.name,
                code=digest_of(experiment, ("of_task", "choose")),
                settings=settings_of(experiment, "of_task", "choose"),
                seed=config["seed"],
                source=SOURCE_CONFIG if experiment.rows else None,
            script:
                "../scripts/measure.py"

    if experiment.tables:

        rule:
            name:
                f"gather_{experiment.stem}"
            input:
                *tables_read(experiment),
                measured=partial(measured_batches, experiment) if experiment.has("of_task") else [],
                code=files_of(experiment, ("over_all",), "aucstudy.stages.measuring"),
                study=[f"{DATA}/{STUDY_FILES[kind]}" for kind in experiment.reads],
            output:
                **{table: f"{TABLES}/{table}.csv" for table in experiment.tables},
            log:
                f"{LOGS}/gather_{experiment.stem}.log",
            # what needs no measuring, the first shares among it, is not kept waiting for what does
            priority: int(not experiment.has("of_task"))
            conda:
                "../../environment.yml"
            params:
                experiment=experiment.name,
                code=digest_of(experiment, ("over_all",)),
                columns={name: list(table.columns) for name, table in experiment.tables.items()},
                settings=settings_of(experiment, "over_all").get("over_all", {}),
                seed=config["seed"],
            script:
                "../scripts/gather.py"

    if experiment.figures:

        rule:
            name:
                f"draw_{experiment.stem}"
            input:
                *tables_read(experiment),
                code=files_of(experiment, tuple(experiment.figures), "aucstudy.stages.measuring"),
                tables=[f"{TABLES}/{table}.csv" for table in experiment.tables],
                study=[f"{DATA}/{STUDY_FILES[kind]}" for kind in experiment.reads],
            output:
                *[
                    report(
                        f"{FIGURES}/{figure}.png",
                        caption=caption(f"figure-{figure}"),
                        category=experiment.category,
                        labels={"shown": f"figure {figure}"},
                    )
                    for figure in experiment.figures
                ],
                *[f"{FIGURES}/{figure}.svg" for figure in experiment.figures],
            log:
                f"{LOGS}/draw_{experiment.stem}.log",
            conda:
                "../../environment.yml"
            params:
                experiment=experiment.name,
                code=digest_of(experiment, tuple(experiment.figures)),
                settings=settings_of(experiment, *experiment.figures),
            script:
                "../scripts/draw.py"

    if experiment in STUDIED:
        STUDY_TARGETS += [f"{TABLES}/{table}.csv" for table in experiment.tables]
        STUDY_TARGETS += [f"{FIGURES}/{figure}.{kind}" for figure in experiment.figures for kind in KINDS]
