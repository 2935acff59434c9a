# Stage 3: the experiments are measured in batches of tasks, gathered into tables, and drawn, several in a job. A job takes
# what it can from earlier runs (jobs/together.py): that an experiment has other code or settings touches no other.
READ = with_what_they_read(STUDIED_NAMES, STUDIED_NAMES)
MEASURED = [name for name in READ if EXPERIMENTS[name].has("of_task")]
FITTING = [name for name in MEASURED if EXPERIMENTS[name].rows == "needed"]
# What walks predictions is measured together, in no fewer jobs than a small machine has processors; what fits learners
# takes much longer and is measured alone. By unit: the experiments, and how their tasks are cut into jobs.
UNITS = {
    unit: ([name for name in with_what_they_read(names) if name in MEASURED], fewest)
    for unit, names, fewest in (
        ("predictions", [name for name in MEASURED if name not in FITTING], 2),
        *((EXPERIMENTS[name].stem, [name], 1) for name in FITTING),
    )
    if names
}
UNITS = {
    unit: (names, (measuring_passes(map(EXPERIMENTS.get, names), config), fewest))
    for unit, (names, fewest) in UNITS.items()
}
# Tables are gathered as soon as what they are made of is there: the study's scores, or what was measured. What is the same
# in every study is gathered and drawn by itself, in the time in which one job waits for another.
ALONE = {EXPERIMENTS[name].stem: [name] for name in READ if not level_of(name)}
READ_AS_TABLES = {other for name in READ for other in EXPERIMENTS[name].tables_read(STUDIED_NAMES)}
WITH_TABLES = [name for name in READ if name in STUDIED_NAMES or name in READ_AS_TABLES]
GATHERED = ALONE | {
    level: [name for name in WITH_TABLES if level_of(name) == number]
    for number, level in enumerate(("scores", "measured"), 1)
}
FIGURES_OF = {name: len(EXPERIMENTS[name].figures) for name in STUDIED_NAMES if level_of(name)}
DRAWN = ALONE | dict(zip(("first", "second"), even_batches(FIGURES_OF, 2)))


for unit, (names, arguments) in UNITS.items():

    rule:
        name:
            f"measure_{unit}"
        input:
            f"{DATA}/predictions",
            f"{DATA}/scores.parquet",  # the score stage has read every file and reports a broken one
            tasks=f"{DATA}/tasks.csv",
        output:
            f"{DATA}/measured/{unit}.{{batch}}.json",
        log:
            f"{LOGS}/measure_{unit}_{{batch}}.log",
        conda:
            "../../environment.yml"
        resources:
            **needs_of(*arguments),
        params:
            runs=runs_of("measure", names),
            tasks=tasks_of(*arguments),
        script:
            "../scripts/measure.py"


for level, names in GATHERED.items():
    if tables_of(names):

        rule:
            name:
                f"gather_{level}"
            input:
                read_by(names),
                measured=indexes_of(names),
            output:
                tables_of(names),
            log:
                f"{LOGS}/gather_{level}.log",
            # the first shares wait for nothing that is measured
            priority: 2 * (level == "scores")
            conda:
                "../../environment.yml"
            params:
                runs=runs_of("gather", [name for name in names if EXPERIMENTS[name].tables]),
                columns=[EXPERIMENTS[name].columns for name in names],
            script:
                "../scripts/gather.py"


for batch, names in DRAWN.items():
    if figures_of(names, "png"):

        rule:
            name:
                f"draw_{batch}"
            input:
                read_by(names),
                tables_of(names),
            output:
                *[
                    report(
                        f"{FIGURES}/{figure}.png",
                        caption=caption(f"figure-{figure}"),
                        category=EXPERIMENTS[name].category,
                        labels={"shown": f"figure {figure}"},
                    )
                    for name in names
                    for figure in EXPERIMENTS[name].figures
                ],
                figures_of(names, "svg"),
            log:
                f"{LOGS}/draw_{batch}.log",
            conda:
                "../../environment.yml"
            params:
                runs=runs_of("draw", [name for name in names if EXPERIMENTS[name].figures]),
            script:
                "../scripts/draw.py"


STUDY_TARGETS += tables_of(STUDIED_NAMES)
STUDY_TARGETS += figures_of(STUDIED_NAMES, "png") + figures_of(STUDIED_NAMES, "svg")
