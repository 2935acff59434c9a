"""Fetch one batch of the tasks into a task store of its own."""

import hashlib
import json
from pathlib import Path

from aucstudy.config import check_source_and_packages
from aucstudy.jobs.job import job, shared_progress
from aucstudy.jobs.process import end_process
from aucstudy.sources import fetch, settings_key, work

params = snakemake.params  # noqa: F821
config = {
    "source": params.source,
    settings_key(params.source): params.settings,
    "models_per_task": params.models_per_task,
    "min_flows": params.min_flows,
    "seed": params.seed,
    "batches": {"fetch": params.batches},
}
packages = snakemake.config["packages"]  # noqa: F821
folder = Path(snakemake.output[0])  # noqa: F821
# Studies with other settings count their progress in other folders.
settled = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:12]
with job(snakemake.log[0]):  # noqa: F821
    check_source_and_packages({**config, "packages": packages})
    with shared_progress(folder.parents[1] / ".progress" / settled, "fetch", work(config)) as progress:
        fetch(folder, config, batch=int(snakemake.wildcards.batch), progress=progress)  # noqa: F821
end_process()
