"""The hook of mkdocs.yml: it adds pages that are no files of docs/, and adapts GitHub's links."""

import re
from pathlib import Path

from experiments import COMMITTED, dictionary, in_words, overview, pages, sections
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from reference import commands, configuration, module

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "studies").glob("*/README.md"))
# A link from a page of docs/ to a file of the repository. On the site, this file lies beside the pages.
OUTSIDE = re.compile(r"\]\(\.\./([^)#]+)")
# A link to the page of an experiment. The site has this page with its results.
EXPERIMENTS = re.compile(
    r"\]\((?:\.\./)?(?:src/aucstudy/experiments|studies/[\w-]+)/(?!README)(?=[\w-]+\.md)"
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the navigation's entries of studies and of experiments, which are sorted by question."""
    entries = {name: part for part in config.nav for name in part}
    entries["Studies"]["Studies"] = [
        {path.parent.name: path.relative_to(ROOT).as_posix()} for path in STUDIES
    ]
    entries["Experiments"]["Experiments"] = [
        "experiments/index.md",
        *(
            {question: [{in_words(name): f"experiments/{name}.md"} for name in names]}
            for question, names in sections().items()
        ),
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here, and the files of the repository that pages show or link."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    made = {
        "index.md": readme.replace("](docs/", "]("),
        **{
            name: (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
            for name in ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
        },
        **{
            path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").replace(
                "](../../docs/", "](../../"
            )
            for path in STUDIES
        },
        "conformance/README.md": (ROOT / "conformance" / "README.md")
        .read_text(encoding="utf-8")
        .replace("](../docs/", "](../"),
        "experiments/index.md": overview(),
        **{f"experiments/{name}.md": text for name, text in pages(ROOT).items()},
        "reference/module.md": module(),
        "reference/commands.md": commands(),
        "reference/configuration.md": configuration(),
        "reference/tables.md": dictionary(),
    }
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    shown = {
        path.relative_to(ROOT).as_posix()
        for study in (*COMMITTED, "populations")
        for path in (ROOT / "results" / study / "figures").glob("*.png")
    }
    linked = {
        target
        for file in list(files.documentation_pages())
        for target in OUTSIDE.findall(file.content_string)
        if "/" not in file.src_uri and not target.endswith(".md")
    }
    for path in sorted(shown | {target for target in linked if (ROOT / target).is_file()}):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adapt what GitHub reads in another way: links out of docs/, and Markdown inside of folded parts."""
    if "/" not in page.file.src_uri:
        markdown = EXPERIMENTS.sub("](experiments/", markdown).replace("](../README.md", "](index.md")
        markdown = markdown.replace("](../", "](")
    return markdown.replace("<details>", '<details markdown="1">')
