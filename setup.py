"""What pyproject.toml cannot say; all the rest stands there."""

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
    """Builds in a folder of its own. In build/, a module that exists no more would still be found,
    and installed."""

    def initialize_options(self):
        super().initialize_options()
        self.build_base = tempfile.mkdtemp(prefix="ginpeer-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)


def long_description(readme, urls):
    """The README for whoever reads it elsewhere: its links lead to the sources, or nowhere.

    *urls*: [project.urls] of pyproject. With a Source there, links into the sources become
    absolute; without one they are plain words, for the file lies in the sdist.
    """
    source = urls.get("Source", "").rstrip("/")

    def elsewhere(link):
        words, target = link.groups()
        if re.match("[a-z]+:|#", target):
            return link[0]
        return f"[{words}]({source}/blob/HEAD/{target})" if source else words

    readme = re.sub(r"!\[[^]]+\]\([^)]+\)\n\n", "", readme)  # pictures stay in the repository
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", elsewhere, readme)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        cmdclass={"build": FreshBuild},
        long_description=long_description(
            (ROOT / "README.md").read_text(encoding="utf-8"), project.get("urls", {})
        ),
        long_description_content_type="text/markdown",
    )
