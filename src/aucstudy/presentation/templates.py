"""The HTML templates of pages: everything put in is escaped, and a name that is missing is an error."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def templates_of(package: str) -> Environment:
    """The templates that lie in a package's folder."""
    return Environment(
        loader=PackageLoader(package, "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
