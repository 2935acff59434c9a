"""Which studies of OpenML have the population of Flach & Kull 2015."""

from collections.abc import Mapping


def papers_population(config: Mapping) -> bool:
    """Whether a study's tasks are chosen as Flach & Kull 2015 did: every OpenML task and run of before June 2015.

    A handful of tasks chosen by id, or today's runs, are other data, though they come from the same server.
    """
    if config["source"] != "openml":
        return False
    rules = config["openml"]
    chosen = any(rules.get(key) for key in ("tasks", "tags", "max_tasks", "pinned"))
    return rules.get("uploaded_before") == "2015-06-01" and not chosen and config["models_per_task"] == 30
