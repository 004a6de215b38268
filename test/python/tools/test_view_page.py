"""The page of hlo-view in a real browser: folds, links, slider, search, light and dark, keys, and names that look like HTML."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Page, chromium
from mlir import ir

import hlo
from hlo.tools.hlo_view import main
from hlo.tools.view.collect import compile_watched
from hlo.tools.view.page import page as make_page

EXAMPLES = Path(__file__).parents[3] / "examples"

HOSTILE = '<img src=x onerror="alert(1)"></script><script>alert(2)</script>'


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


def written(folder, program, *options):
    path = folder / f"{program.stem}.html"
    assert main([str(program), "-o", str(path), *options]) == 0
    return path


@pytest.fixture(scope="module")
def mlp(folder):
    return written(folder, EXAMPLES / "mlp.mlir")


@pytest.fixture
def page(browser, mlp):
    opened = Page(browser, mlp)
    yield opened
    opened.check()


def rows(page, within):
    return page.page.locator(f"{within} .row").count()


def test_slider_goes_over_all_passes(page):
    """The slider and the arrow keys; the text of the last StableHLO step has what the passes made."""
    count = page.ask("Data.head.steps.length")
    slider = page.page.get_by_role("slider", name="Pass")
    assert slider.get_attribute("max") == str(count - 1)
    slider.focus()
    page.page.keyboard.press("ArrowRight")
    page.until("Passes.step === 1")
    assert page.ask("location.hash") == "#program/1"
    page.page.keyboard.press("End")
    page.until(f"Passes.language === 'asm' && Passes.step === {count - 1}")
    assert "hlo_entry" in page.ask("Passes.now.text.join('\\n')")


def test_every_step_is_what_was_written(page):
    """The page's texts are those that the edits say, counted line by line."""
    made = compile_watched(hlo.load(EXAMPLES / "mlp.mlir"), "cpu", "main", {})
    sizes = [step.added - step.dropped for step in made.history.steps]
    lengths = page.ask(
        "(async () => (await Promise.all(Data.head.steps.map((_, n) => Data.step(n)))).map((s) => s.text.length))()"
    )
    assert lengths == [sum(sizes[: n + 1]) for n in range(len(sizes) - 1)] + [sizes[-1] + sum(sizes[:-1])]
    assert page.ask("(async () => (await Data.step(Data.head.steps.length - 1)).text)()") == [
        line.text for line in made.history.lines
    ]


def test_changes_of_a_pass(page):
    """Added and dropped lines are marked, unchanged ones fold, and a fold opens."""
    number = page.ask(
        "(() => { const few = Data.head.steps.filter((s) => s.phase === 'llvm' && s.added && s.dropped).sort((a, b) => a.added - b.added)[0];"
        " return Data.head.steps.indexOf(few) })()"
    )
    page.go(f"program/{number}")
    assert page.page.locator(".row.added, .row.dropped").count()
    assert page.ask("['+', '-', ' '].every((sign) => Passes.rows.some((row) => row.sign === sign))")
    all_rows = page.ask("Passes.shown.length")
    page.page.get_by_role("button", name="Changes only").click()
    folds = page.ask("Passes.shown.filter((r) => r.fold).length")
    assert folds and page.ask("Passes.shown.length") < all_rows
    page.ask("Passes.list.pick(Passes.shown.findIndex((r) => r.fold))")
    assert page.ask("Passes.shown.filter((r) => r.fold).length") == folds - 1


def test_graph_folds(page):
    """A group opens and closes by its mark, by Enter, and all at once."""
    boxes = page.page.locator("svg.graph .node")
    first = boxes.count()
    assert first > 3
    page.page.locator("svg.graph .group.open .fold-mark").first.click()
    assert boxes.count() == 0
    page.page.locator("svg.graph .group").first.click()
    page.page.locator("svg.graph").focus()
    page.page.keyboard.press("Enter")
    assert boxes.count() == first
    page.page.get_by_role("button", name="Close all groups").click()
    assert boxes.count() == 0


def test_graph_has_the_edges_of_the_program(page):
    """Each op reads what the program says it reads: counted by MLIR."""
    numbers: dict[ir.Operation, int] = {}

    def visit(op):
        numbers[op] = len(numbers)
        return ir.WalkResult.ADVANCE

    module = hlo.load(EXAMPLES / "mlp.mlir")
    module.operation.walk(visit)
    edges = {
        (value.owner.operation.name, op.name, numbers[value.owner.operation], number)
        for op, number in numbers.items()
        for value in op.operands
        if not isinstance(value.owner, ir.Block)
    }
    found = page.ask(
        "(async () => { const s = await Data.step(0); const g = graphOf(s.text, 'mlir');"
        " const holds = (a, b) => b && (a === b || holds(a, b.parent));"
        " return g.edges.filter(([a, b]) => a.op !== 'argument' && !holds(a, b)).map(([a, b]) => [a.op, b.op, a.line, b.line]) })()"
    )
    ours = {(a, b, x, y) for a, b, x, y in found}
    short = {"func.return": "return", "func.call": "call"}
    assert sorted((a, b) for a, b, *_ in ours) == sorted((short.get(a, a), short.get(b, b)) for a, b, *_ in edges)
    assert len(ours) > 20


def test_a_node_and_its_line(page):
    node = page.page.locator("svg.graph .node").nth(1)
    label = node.locator(".label").text_content()
    node.click()
    current = page.page.locator(".text-pane .row.current")
    assert label in current.text_content()


def test_links_lead_both_ways(page):
    """A click on StableHLO shows its instructions; a click on an instruction its StableHLO."""
    page.go(
        "kernels"
    )  # the one that took longest: which one that is depends on the machine, and whether its first line has instructions
    instructions = page.page.locator('[data-column="asm"] .row.linked')
    for line in page.page.locator('[data-column="stablehlo"] .row:not(.head)').all():
        line.click()
        if instructions.count():
            break
    assert instructions.count()
    assert page.page.locator('[data-column="code"] .row.linked').count()
    page.page.keyboard.press("Escape")
    assert page.page.locator(".columns .row.linked").count() == 0
    index = page.ask(
        "Kernels.columns.find((c) => c.id === 'asm').rows.findIndex((r) => /^ +v/.test(r.text) && Data.links.ops[r.set].length)"
    )
    page.ask("n => Kernels.columns.find((c) => c.id === 'asm').list.pick(n)", index)
    assert page.page.locator('[data-column="stablehlo"] .row.linked').count()


def test_a_late_report_of_the_address_changes_nothing(page):
    """The browser tells of a new address some time after it is set: lines picked by then stay linked."""
    page.go("kernels/mul_add_reduce_0")
    page.page.locator('[data-column="stablehlo"] .row', has_text="dot_general").click()
    linked = page.page.locator('[data-column="asm"] .row.linked').count()
    assert linked
    page.ask("dispatchEvent(new HashChangeEvent('hashchange')); fromAddress()")
    assert page.page.locator('[data-column="asm"] .row.linked').count() == linked


def test_python_lines_lead_to_instructions(browser, folder):
    source = folder / "model.py"
    source.write_text("def f(x):\n    y = exp(x)\n    return y + x\n")
    program = folder / "from_python.mlir"
    program.write_text(
        f"""func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %0 = stablehlo.exponential %x : tensor<64x64xf32> loc("jit(f)/exp"("{source}":2:4))
  %1 = stablehlo.add %0, %x : tensor<64x64xf32> loc("jit(f)/add"("{source}":3:4))
  return %1 : tensor<64x64xf32>
}}"""
    )
    page = Page(browser, written(folder, program, "--source", str(folder)))
    page.go("kernels")
    page.page.locator('[data-column="source"] .row', has_text="return y + x").click()
    linked = page.page.locator('[data-column="stablehlo"] .row.linked')
    assert linked.count() == 1 and "stablehlo.add" in linked.text_content()
    instructions = page.ask(
        "(() => { const c = Kernels.columns.find((c) => c.id === 'asm'); return c.rows.filter((r) => c.list.isLinked(r)).map((r) => r.text.trim()) })()"
    )
    assert any(text.startswith("vaddps") for text in instructions)
    page.check()


def test_search(page):
    kernel = page.ask("Data.head.kernels[0].name")
    page.page.keyboard.press("/")
    page.page.keyboard.type(kernel)
    page.page.locator(".result").first.wait_for()
    page.page.keyboard.press("Enter")
    page.until("name => Kernels.kernel?.name === name", kernel)
    page.page.locator("#query").fill("stablehlo.dot_general")
    result = page.page.locator(".result", has_text="dot_general").first
    line = int(result.locator(".kind").text_content().removeprefix("line "))
    result.click()
    page.until("line => Passes.list.rows[Passes.list.current]?.line === line - 1", line)
    page.page.locator("#query").fill("no such thing anywhere")
    page.page.get_by_text("Nothing found").wait_for()


def test_light_and_dark(browser, mlp):
    backgrounds = []
    for scheme in ("light", "dark"):
        page = Page(browser, mlp, color_scheme=scheme)
        background = "getComputedStyle(document.body).backgroundColor"
        backgrounds.append(page.ask(background))
        assert page.ask("document.documentElement.dataset.theme") == scheme
        page.page.keyboard.press("t")
        assert page.ask("document.documentElement.dataset.theme") != scheme
        backgrounds.append(page.ask(background))
        page.check()
    assert backgrounds[0] == backgrounds[3] != backgrounds[1] == backgrounds[2]


def test_memory(page):
    page.go("memory")
    assert page.page.locator(".chart .value").count() == page.ask("Data.head.memory[0].values.length") > 0
    box = page.page.locator(".chart .value").first
    box.hover()
    assert "step 1" in page.page.get_by_role("tooltip").text_content()
    box.click()
    page.until("location.hash.startsWith('#kernels/')")


def test_keys_alone(page):
    """All views, and the passes, without a mouse."""
    page.page.keyboard.press("2")
    page.until("location.hash.startsWith('#kernels/')")
    page.page.keyboard.press("j")
    page.until("Kernels.kernel === Data.head.kernels[1]")
    page.page.keyboard.press("1")
    page.until("location.hash.startsWith('#program/')")
    page.page.keyboard.press("ArrowRight")
    page.until("Passes.step === 1")


def test_names_with_html_are_text(browser, folder):
    program = folder / "hostile.mlir"
    quoted = HOSTILE.replace('"', '\\"')
    program.write_text(
        f"""module @"{quoted}" {{ func.func @"{quoted}"(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %0 = stablehlo.exponential %x : tensor<64x64xf32> loc("{quoted}/{quoted}/exp"("{quoted}.py":1:1))
  %1 = stablehlo.custom_call @"{quoted}"(%0) {{backend_config = "{quoted}"}} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}} }}"""
    )
    page = Page(browser, written(folder, program, "--entry", HOSTILE, "--title", HOSTILE))
    assert page.ask("document.title") == HOSTILE == page.page.locator("#title").text_content()
    for place in ("program/57", "program/25", "kernels", "memory", "program/0"):
        page.go(place)
    page.page.locator("#query").fill("onerror")
    page.page.locator(".result").first.wait_for()
    assert page.ask("document.querySelectorAll('img').length") == 0
    assert HOSTILE in page.ask("Passes.now.text.join('')").replace("\\22", '"').replace('\\"', '"')
    page.check()


@pytest.mark.parametrize(
    "body", ["return", '%0 = stablehlo.constant dense<1.0> : tensor<4xf32> loc("x":0:0)\n    return']
)
def test_programs_with_nothing_to_see(browser, folder, body):
    program = folder / "nothing.mlir"
    program.write_text(f"func.func @main() {{ {body} }}")
    page = Page(browser, written(folder, program))
    for place in ("program/0", "program/30", "program/57", "kernels", "memory", "no such view/%E0%A4%A"):
        page.go(place)
    page.check()


def test_programs_without_locations(browser, folder):
    """The links are there all the same: they do not need locations."""
    program = folder / "nowhere.mlir"
    program.write_text(
        """func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.exponential %x : tensor<64x64xf32> loc(unknown)
  return %0 : tensor<64x64xf32> loc(unknown)
} loc(unknown)"""
    )
    page = Page(browser, written(folder, program))
    page.go("kernels")
    page.page.locator('[data-column="stablehlo"] .row', has_text="exponential").click()
    assert page.page.locator('[data-column="asm"] .row.linked').count()
    page.check()


GRID = """module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        use_global_device_ids} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.tanh %0 : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}"""


def test_collectives_of_a_grid_tell_what_they_send(browser, folder):
    """An array of 128 bytes in rings of two: each process sends half of it twice."""
    program = folder / "grid.mlir"
    program.write_text(GRID)
    page = Page(browser, written(folder, program))
    page.go("program/0")
    assert page.ask("Data.head.grid") == [1, 4]
    label = page.page.locator('.graph [aria-label^="all_reduce"]').get_attribute("aria-label")
    assert label == "all_reduce sends 128 B, group of 2"
    assert page.page.locator(".remark", has_text="each process sends 128 B, group of 2").count() == 1
    page.check()


def test_a_program_with_shardings_becomes_that_of_one_process(browser, folder):
    page = Page(browser, written(folder, EXAMPLES / "data_parallel.mlir"))
    assert page.ask("Data.head.steps[1].phase + Data.head.steps[1].name") == "partitionthe program of one process"
    assert page.ask("Data.head.collectives.map((one) => one.kind)").count("all_reduce")
    page.go("program/1")
    assert "all_reduce" in page.ask("Passes.now.text.join('')")
    told = page.ask("Passes.now.text.map((text, line) => Collectives.at(text, Passes.now.sets[line])).filter(Boolean)")
    assert len(told) == page.ask("Data.head.collectives.length") and all(one.startswith("sends ") for one in told)
    page.check()


def test_profile(browser, folder):
    """Frames divide the whole call; the roofline and the table have the kernels; a kernel's frame leads to its code."""
    program = folder / "profiled.mlir"
    program.write_text((EXAMPLES / "mlp.mlir").read_text())
    page = Page(browser, written(folder, program, "--profile", "--repeat", "3"))
    page.go("profile")
    rows = page.ask("Data.head.profile.rows")
    seconds = sum(row["seconds"] for row in rows)
    assert page.ask("Profile.tree.seconds") == pytest.approx(seconds)
    assert page.ask(
        "(function sum(n) { return n.children.size ? [...n.children.values()].reduce((s, c) => s + (c.waits ? 0 : sum(c)), 0) || n.seconds : n.seconds })(Profile.tree)"
    ) == pytest.approx(seconds)
    assert page.page.locator(".point").count() == sum(bool(row["flops"]) for row in rows)
    assert page.page.locator(".table-pane tbody tr").count() == len(rows)
    page.page.locator(".frame.kernel").first.click()
    page.until("location.hash.startsWith('#kernels/')")
    assert "% of the time" in page.page.locator(".kernel-head").text_content()
    page.check()


def test_ten_thousand_kernels(browser, folder):
    """A page of many kernels opens and folds: no view makes an element for each."""
    count = 10_000
    calls = [f"    %{n + 1} = call @kernel_{n}(%{n}) : (tensor<4xf32>) -> tensor<4xf32>" for n in range(count)]
    functions = [
        line
        for n in range(count)
        for line in (
            f"  func.func private @kernel_{n}(%arg0: tensor<4xf32>) -> tensor<4xf32> {{",
            "    return %arg0 : tensor<4xf32>",
            "  }",
        )
    ]
    text = [
        "module {",
        "  func.func public @main(%0: tensor<4xf32>) -> tensor<4xf32> {",
        *calls,
        "  }",
        *functions,
        "}",
    ]
    step = {"phase": "kernels", "name": "form-kernels", "ms": 1, "added": len(text), "dropped": 0}
    kernel = {"kind": "region", "calls": 1, "schedule": None}
    head = {
        "title": "many",
        "target": "cpu",
        "grid": [1, 1],
        "collectives": [],
        "steps": [step],
        "files": [],
        "kernels": [{**kernel, "name": f"kernel_{n}", "functions": [f"kernel_{n}"]} for n in range(count)],
        "remarks": [],
        "memory": [],
        "profile": None,
    }
    path = folder / "many.html"
    path.write_text(
        make_page(head, [{"ops": [[]], "origins": [[""]], "sources": []}, [[f"0 {line}" for line in text]]])
    )
    page = Page(browser, path)
    assert page.ask("Passes.now.text.length") == len(text)
    page.go("kernels/kernel_9999")
    page.page.locator("#query").fill("kernel_77")
    page.page.locator(".result").first.wait_for()
    assert page.ask("document.querySelectorAll('*').length") < 5000
    page.check()
