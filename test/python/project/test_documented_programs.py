"""Every block of code in the documentation runs: here, page by page in a folder of its own, or in a test that NOT_RUN_HERE names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from walkthrough import BLOCK, ROOT, commands, environment_of, run_console

import hlo
from hlo.runtime import custom_calls

DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
FOLLOWED = {
    "tutorial.md": "test_walkthroughs.py",
    "tour.md": "test_walkthroughs.py",
    "extending.md": "test_extending.py",
}
"""Pages that another test follows to the letter: all of their files and commands."""

MODEL = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
MATMUL = """func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""
PAIR = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
TRAIN = """import jax
print(jax.jit(lambda x: x + 1)(1.0))
"""
SCALE = "void scale(void *out, const void **in) { *(float *)out = 2 * *(const float *)in[0]; }\n"


def text_of(page: str, kind: str, number: int = 0) -> str:
    """A block of a page."""
    return [text for found, _, text in BLOCK.findall((DOCS / page).read_text()) if found == kind][number]


def gathering() -> str:
    """The program in the first block of Python of parallel.md."""
    return text_of("parallel.md", "python").split('"""')[1]


X = np.arange(4, dtype=np.float32)
FILES: dict[str, dict[str, Any]] = {
    "gpu.md": {"program.mlir": PAIR},
    "kernels.md": {"model.mlir": MATMUL},
    "parallel.md": {"gather.mlir": gathering},
    "pipelines.md": {"model.mlir": MODEL},
    "profiling.md": {"model.mlir": MODEL, "train.py": TRAIN},
    "runtime.md": {"model.mlir": MODEL, "scale.c": SCALE},
    "sharding.md": {"model.mlir": lambda: text_of("sharding.md", "mlir")},
    "view.md": {"model.mlir": MODEL},
}
"""What a page's folder has beside examples/."""

NAMES: dict[str, dict[str, Any]] = {
    "README.md": {"x": np.arange(6, dtype=np.float32).reshape(2, 3)},
    "gpu.md": {"x": X, "y": X},
    "profiling.md": {"arrays": [X]},
    "runtime.md": {"hlo": hlo, "arrays": [X], "x": X, "y": np.empty(4, np.float32)},
    "sharding.md": {"hlo": hlo, "arrays": [np.ones(s, np.float32) for s in ((8, 4), (4, 6), (6, 4))]},
}
"""What a page's Python has before its first block."""

NOT_RUN_HERE = {
    ("CONTRIBUTING.md", "make check"): "runs this test",
    ("CONTRIBUTING.md", "make test"): "runs this test",
    ("CONTRIBUTING.md", "make format"): "changes the sources",
    ("gpu.md", 'exe = hlo.compile("program.mlir", target="gpu")'): "needs a card",
    ("gpu.md", 'exe = hlo.load_executable("program.hlo")'): "needs a card",
    ("gpu.md", "python -m bench.gpu_files card"): "takes minutes; test_gpu_bench.py runs it for some programs",
    ("gpu.md", "cd card && python -m bench.gpu"): "needs a card; test_gpu_bench.py runs it on the model",
    ("gpu.md", "pip download"): "needs a package registry",
    ("gpu.md", "cd card && pip install"): "needs a package registry",
    ("parallel.md", "mpirun -n 4"): "needs MPI; test_mpi.py runs both commands on its own programs where there is one",
    ("parallel.md", "HLO_DEVICES=2 JAX_PLATFORMS=hlo mpirun"): "needs MPI; test_mpi.py",
    ("parallel.md", 'exe = hlo.compile(program, grid="mpi")'): "needs MPI; test_mpi.py",
    ("pipelines.md", "@dataclass(frozen=True)"): "a part of examples/own_pass.py, which test_own_pass.py runs",
    ("profiling.md", "from perfetto.trace_processor"): "downloads a program; test_perfetto.py asks the same without",
    ("testing.md", "python -m hlo.tools.interrupts"): "takes minutes; test_interrupt_stress.py makes a few steps of it",
    ("testing.md", "python -m hlo.tools.differential"): "takes hours; test_differential.py makes a part of it",
    ("testing.md", "python -m hlo.tools.fuzz"): "takes hours; test_fuzz.py makes a part of it",
    ("testing.md", "HLO_DIFFERENTIAL_PROGRAMS=50000"): "takes an hour; test_differential.py is in the normal run",
    ("torch.md", "import torch"): "PyTorch has an environment of its own: make test-torch, test_torch.py",
    ("torch.md", "text = hlo.torch.export"): "PyTorch has an environment of its own: make test-torch, test_torch.py",
    ("tutorial.md", "git clone"): "the tests run in such a clone",
    ("tutorial.md", "pip install"): "needs a package registry",
}  # fmt: skip
"""Blocks, or single commands, that begin with these words: why they do not run here."""


ANYTHING = "...\n"
"""What a command prints of which the page shows nothing."""


@pytest.fixture(autouse=True)
def used() -> Any:
    yield
    custom_calls.TARGETS.pop("scale", None)


def left_out(page: str, text: str) -> bool:
    return any(page == name and text.startswith(words) for name, words in NOT_RUN_HERE)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in FOLLOWED], ids=lambda page: page.name)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, text in FILES.get(page.name, {}).items():
        Path(name).write_text(text() if callable(text) else text)
    if Path("scale.c").exists():
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "libscale.so", "scale.c"], check=True)
    names = dict(NAMES.get(page.name, {}))
    for kind, title, text in BLOCK.findall(page.read_text()):
        assert not title, f"{title}: files are written on pages that are followed"
        if not left_out(page.name, text):
            run_block(kind, page.name, text, names)


def run_block(kind: str, page: str, text: str, names: dict[str, Any]) -> None:
    if kind == "text":
        assert not re.search(r"^\$ ", text, re.MULTILINE), "commands are blocks of kind console"
    elif kind == "python":
        exec(compile(text, page, "exec"), names)
    elif kind == "mlir":
        hlo.parse(text)
    elif kind == "console":
        kept = [(command, printed) for command, printed in commands(text) if not left_out(page, command)]
        run_console(
            "".join(f"$ {command}\n{printed or ANYTHING}" for command, printed in kept),
            Path.cwd(),
            environment_of(Path.cwd()),
        )
    else:
        raise AssertionError(f"nobody runs blocks of kind {kind!r}: {text}")


@pytest.mark.parametrize("page", FOLLOWED)
def test_pages_that_are_followed_have_no_other_blocks(page: str) -> None:
    for kind, title, text in BLOCK.findall((DOCS / page).read_text()):
        assert title or kind in ("console", "text") or left_out(page, text), text


def test_every_exception_is_one() -> None:
    for page, words in NOT_RUN_HERE:
        blocks = BLOCK.findall(next(p for p in PAGES if p.name == page).read_text())
        starts = [text for _, _, text in blocks] + [
            c for kind, _, text in blocks if kind == "console" for c, _ in commands(text)
        ]
        assert any(start.startswith(words) for start in starts), (page, words)


def test_every_fence_is_a_block() -> None:
    """What the expression for blocks does not see (indented fences, other marks) would not run."""
    for page in PAGES:
        fences = re.findall(r"^\s*(?:```|~~~)", page.read_text(), re.MULTILINE)
        assert len(fences) == 2 * len(BLOCK.findall(page.read_text())), page


def test_the_own_pass_is_the_example() -> None:
    """Its lines stand there in this order, with more between them."""
    rest = iter((ROOT / "examples" / "own_pass.py").read_text().splitlines())
    for line in filter(None, text_of("pipelines.md", "python", 1).splitlines()):
        words = line.partition("  #")[0].replace("exe = ", "").strip().rstrip(")")
        assert any(words in other for other in rest), words


def test_results_of_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the programs of some pages compute, beside numpy."""
    names: dict[str, Any] = {}
    for number in range(3):
        exec(compile(text_of("builder.md", "python", number), "builder.md", "exec"), names)
    np.testing.assert_array_equal(names["literal"], np.full(10, 3, np.float32))
    np.testing.assert_array_equal(names["result"], np.ones((2, 2), np.float32))
    monkeypatch.chdir(tmp_path)
    Path("model.mlir").write_text(MODEL)
    names = dict(NAMES["runtime.md"], y=np.empty(4, np.float32))
    for number in range(2):
        exec(compile(text_of("runtime.md", "python", number), "runtime.md", "exec"), names)
    np.testing.assert_array_equal(names["y"], X + X)
    np.testing.assert_array_equal(names["outputs"][0], X + X)
    assert custom_calls.TARGETS["scale"](X, backend_config="2").tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
        assert "://" in target or (page.parent / target).exists(), f"{page}: {target}"
