# Stage 3: each experiment of the registry is measured in batches of tasks, gathered into tables, and told.
KINDS = ("png", "svg")


for experiment in EXPERIMENTS.values():
    if experiment.measures is not None:

        rule:
            name:
                f"measure_{experiment.name}"
            input:
                **{f"{name}_frames": partial(measured_batches, name) for name in experiment.frames_of},
                code=code(
                    "aucstudy.stages.measuring",
                    experiment.module("numbers"),
                    *[SOURCES[config["source"]]] * bool(experiment.rows),
                ),
                predictions=f"{DATA}/predictions",
                scores=f"{DATA}/scores.parquet",  # the score stage has read every file and reports a broken one
                tasks=f"{DATA}/tasks.csv",
            output:
                directory(f"{DATA}/measured/{experiment.name}/{{batch}}"),
            log:
                f"{LOGS}/measure_{experiment.name}_{{batch}}.log",
            conda:
                "../../environment.yml"
            resources:
                runtime=partial(measuring_minutes, experiment.name),
                mem_mb=partial(measuring_megabytes, experiment.name),
            params:
                experiment=experiment.name,
                settings=experiment.values(experiment.measures, config),
                seed=config["seed"],
                source=SOURCE_CONFIG if experiment.rows else None,
            script:
                "../scripts/measure.py"

    if experiment.tables:

        rule:
            name:
                f"gather_{experiment.name}"
            input:
                *tables_read(experiment),
                measured=([] if experiment.measures is None else partial(measured_batches, experiment.name)),
                code=code("aucstudy.stages.measuring", experiment.module("numbers")),
                study=[f"{DATA}/{STUDY_FILES[kind]}" for kind in experiment.reads],
            output:
                **{table: f"{TABLES}/{table}.csv" for table in experiment.tables},
            log:
                f"{LOGS}/gather_{experiment.name}.log",
            # what needs no measuring, the first shares among it, is not kept waiting for what does
            priority: int(experiment.measures is None)
            conda:
                "../../environment.yml"
            params:
                experiment=experiment.name,
                settings=experiment.values(experiment.gathers, config),
                seed=config["seed"],
            script:
                "../scripts/gather.py"

    rule:
        name:
            f"tell_{experiment.name}"
        input:
            code=code("aucstudy.stages.telling", experiment.module("telling")),
            tables=[f"{TABLES}/{table}.csv" for table in experiment.tables],
            study=[f"{DATA}/{STUDY_FILES[kind]}" for kind in experiment.tells_from],
        output:
            *[
                report(
                    f"{FIGURES}/{figure}.png",
                    caption=caption(experiment.name, f"figure-{figure}"),
                    category=experiment.category,
                    labels={"shown": f"figure {figure}"},
                )
                for figure in experiment.figures
            ],
            *[f"{FIGURES}/{figure}.svg" for figure in experiment.figures],
            told=directory(f"{DATA}/told/{experiment.name}"),
        log:
            f"{LOGS}/tell_{experiment.name}.log",
        conda:
            "../../environment.yml"
        params:
            experiment=experiment.name,
            settings=experiment.values(experiment.tells, config),
        script:
            "../scripts/tell.py"

    if experiment in STUDY_EXPERIMENTS:
        STUDY_TARGETS += [f"{TABLES}/{table}.csv" for table in experiment.tables]
        STUDY_TARGETS += [f"{FIGURES}/{figure}.{kind}" for figure in experiment.figures for kind in KINDS]
