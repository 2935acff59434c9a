"""The ending of a file's name, which says what kind of table it is.

The Snakefile imports this module, so it imports no numeric library, which may not be installed there.
"""

from pathlib import Path


def ending_of(path: Path) -> str:
    """Return the ending of a file's name in lower case. An ending `.gz` is ignored.

    >>> ending_of(Path("a.CSV.gz")), ending_of(Path("b.parquet"))
    ('.csv', '.parquet')
    """
    return Path(path.name.lower().removesuffix(".gz")).suffix
