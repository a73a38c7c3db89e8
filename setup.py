"""The part of the package's configuration that pyproject.toml can't express."""

import atexit
import re
import shutil
import tempfile
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build import build

ROOT = Path(__file__).resolve().parent


class FreshBuild(build):
    """Build in a new temporary folder. In build/, a deleted module from an earlier build would
    still be found and installed."""

    def initialize_options(self):
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="ginpeer-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


def long_description(readme, urls):
    """Return the README for readers outside the repository, such as those of a package index.

    *urls*: [project.urls] of pyproject.toml. If it has a Source, links to files become absolute.
    Otherwise they become plain text, because the reader finds those files in the sdist.
    """
    source = urls.get("Source", "").rstrip("/")

    def rewritten(link):
        text, target = link.groups()
        if re.match("[a-z]+:|#", target):
            return link[0]
        return f"[{text}]({source}/blob/HEAD/{target})" if source else text

    readme = re.sub(r"!\[[^]]+\]\([^)]+\)\n\n", "", readme)  # pictures stay in the repository
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", rewritten, readme)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        cmdclass={"build": FreshBuild},
        long_description=long_description(
            (ROOT / "README.md").read_text(encoding="utf-8"), project.get("urls", {})
        ),
        long_description_content_type="text/markdown",
    )
