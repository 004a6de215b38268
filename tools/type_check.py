"""Runs mypy on the package as it is imported: build/types/hlo/* link to the folders of pyproject.toml's package-dir.
With `--tree` the links are made only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {
    **{name: name for name in ("dialect", "lowering", "pipelines", "runtime", "tools", "reference", "builder")},
    "jax": "integrations/jax",
    "torch": "integrations/torch",
}
"""Subpackages of hlo and the folders that hold them."""


def package_tree() -> Path:
    """The folder in which the package lies as it is imported."""
    tree = ROOT / "build" / "types" / "hlo"
    tree.mkdir(parents=True, exist_ok=True)
    links = {name: ROOT / folder for name, folder in FOLDERS.items() if (ROOT / folder / "__init__.py").exists()}
    links.update((p.name, p) for p in (ROOT / "hlo").glob("*.py"))
    for name, target in links.items():
        link = tree / name
        if not link.is_symlink():
            link.symlink_to(target)
    return tree.parent


def main() -> int:
    tree = package_tree()
    if sys.argv[1] == "--tree":
        return 0
    command = [str(Path(sys.argv[1]).absolute() / "mypy"), "--config-file", str(ROOT / "pyproject.toml"), "-p", "hlo"]
    return subprocess.run(command, cwd=tree).returncode


if __name__ == "__main__":
    sys.exit(main())
