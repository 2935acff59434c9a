"""Where does the share of tasks with another best model come from? Everything that was drawn is drawn again."""

from aucstudy.experiments.experiment import Experiment, bootstrap, whole

EXPERIMENT = Experiment(
    name="variance",
    category="How sure",
    tables=("variance", "variance_tasks", "variance_failures"),
    figures=("variance",),
    settings=(
        whole("cross_validations", 3, "stratified, of each task; the first is that of the store", minimum=2),
        whole("learner_seeds", 3, "of each flow that takes one; the first is that of the store", minimum=2),
        whole("models", 30, "drawn from the flows that were fitted, for each task", minimum=1),
        whole("flow_draws", 50, "random draws of the models", minimum=2),
        whole("halves", 20, "random halves of the test rows", minimum=2),
        bootstrap(),
    ),
    measures=(
        "cross_validations", "learner_seeds", "models", "flow_draws", "halves", "packaged.folds", "packaged.flows",
    ),
    gathers=("bootstrap",),
    rows="needed",
    sources=("packaged",),
    on_request=True,
    # fitting 39 flows on a fold takes the time of a thousand walks, and more on small tasks than their rows say
    passes=lambda settings: 1000 * settings["cross_validations"] * settings["learner_seeds"] * settings["folds"],
)  # fmt: skip
