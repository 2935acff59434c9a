"""Which kind of table a file is, by its name. Light: the Snakefile asks, where no numeric library may be installed."""

from pathlib import Path


def ending_of(path: Path) -> str:
    """The ending in small letters, without that of gzip.

    >>> ending_of(Path("a.CSV.gz")), ending_of(Path("b.parquet"))
    ('.csv', '.parquet')
    """
    return Path(path.name.lower().removesuffix(".gz")).suffix
