"use strict";
// The view of the program: a slider over all steps, the text of the one that is chosen with what it changed, and its graph.

const BEFORE_KERNELS = new Set(["input", "stablehlo", "linalg"]);
const CONTEXT = 3; // unchanged lines that stand around a change

const Passes = {
  title: "Program",
  step: 0,
  mode: "both",
  onlyChanges: false,
  unfolded: new Set(),

  make() {
    this.list = new TextList({ label: "Text after the pass", language: "mlir", onpick: (row) => this._picked(row), remarks: (row) => this._remarks(row) });
    this.graph = new GraphView({ onpick: (node) => this._chosen(node), onopen: (name) => this.openFunction(name) });
    this.rail = this._rail();
    this.about = el("div", { class: "about", "aria-live": "polite" });
    const modes = segmented("What is shown", [["graph", "Graph"], ["both", "Both"], ["text", "Text"]], this.mode, (mode) => { this.mode = mode; this._resize(); });
    this.changes = toggle("Changes only", false, (on) => { this.onlyChanges = on; this.unfolded.clear(); this._fill(); }, "Fold lines that the pass left alone (c)");
    this.empty = el("p", { class: "empty", hidden: true }, "The program has no ops.");
    this.panes = el("div", { class: "panes both" }, this.graph.element, el("div", { class: "text-pane" }, this.list.element), this.empty);
    this.element = el("section", { class: "view" }, this.rail, el("div", { class: "strip" }, this.about, this.changes, modes), this.panes);
    return this.element;
  },

  _rail() {
    const steps = Data.head.steps, most = Math.max(1, ...steps.map((s) => s.added + s.dropped));
    this.ticks = steps.map((step, n) => {
      const size = step.added + step.dropped;
      const height = size ? 5 + 23 * Math.log1p(size) / Math.log1p(most) : 2;
      const tick = el("span", { class: `tick${size ? "" : " idle"}`, "data-step": n }, el("span", { style: `height:${height.toFixed(1)}px` }));
      tick.addEventListener("pointermove", (event) => Tip.show(event, [stepTitle(step), stepFigures(step)]));
      tick.addEventListener("pointerleave", () => Tip.hide());
      return tick;
    });
    this.slider = el("input", { type: "range", min: 0, max: Math.max(steps.length - 1, 0), value: 0, step: 1, "aria-label": "Pass", oninput: () => this.go(Number(this.slider.value)) });
    const phases = el("div", { class: "phases" });
    steps.forEach((step, n) => {
      if (n && steps[n - 1].phase === step.phase) phases.lastChild.lastChild.append(this.ticks[n]);
      else phases.append(el("div", { class: "phase" }, el("span", { class: "phase-name" }, step.phase), el("div", { class: "ticks" }, this.ticks[n])));
    });
    for (const phase of phases.childNodes) phase.style.flexGrow = phase.lastChild.childNodes.length;
    phases.addEventListener("click", (event) => {
      const tick = event.target.closest(".tick");
      if (tick) { this.go(Number(tick.dataset.step)); this.slider.focus({ preventScroll: true }); }
    });
    return el("div", { class: "rail" }, phases, this.slider);
  },

  async open(argument) {
    await this.go(Math.min(Math.max(Number(argument) || 0, 0), Data.head.steps.length - 1));
  },

  async go(number, line = null) {
    this.step = number;
    this.slider.value = number;
    const step = Data.head.steps[number];
    this.slider.setAttribute("aria-valuetext", stepTitle(step));
    this.ticks.forEach((tick, n) => tick.classList.toggle("now", n === number));
    this.about.replaceChildren(
      el("span", { class: "count" }, `${number + 1}/${Data.head.steps.length}`), el("strong", {}, step.name.replace(/\{.*/, "")),
      el("span", { class: "quiet", title: step.name }, stepFigures(step)));
    setPlace(`program/${number}`);
    const [now, before] = [await Data.step(number), number ? await Data.step(number - 1) : EMPTY];
    if (this.step !== number) return; // another one was chosen meanwhile
    this.now = now;
    this.unfolded.clear();
    this.rows = number && step.phase !== "code" ? changes(now, before) : now.text.map((text, n) => ({ text, set: now.sets[n], line: n, sign: " " }));
    this.language = languageOf(step);
    this.empty.hidden = now.text.length > 0;
    this._fill();
    const first = line === null ? this.shown.findIndex((row) => row.sign !== " " && !row.fold) : this.shown.findIndex((row) => row.line === line);
    if (line !== null) this.list.current = first;
    if (first >= 0 && (line !== null || number)) this.list.reveal(first);
    this.graphStep = null;
    this._drawGraph();
    if (line !== null && this.mode !== "text") this.graph.reveal(line);
  },

  _drawGraph() {
    if (this.mode === "text" || this.graphStep === this.step) return;
    this.graphStep = this.step;
    const graph = graphOf(this.now.text, this.language);
    graph.language = this.language;
    addJumps(graph);
    if (this.language !== "asm") Collectives.label(graph.root, this.now);
    folded(graph, (node) => this._names(node));
    const added = new Set();
    for (const row of this.rows) if (row.sign === "+") added.add(row.line);
    this.graph.show(graph, added);
  },

  // The name stack of a node's first op, without what wraps the whole program without the op itself (the last part).
  _names(node) {
    if (node.line < 0 || node.op === "argument") return [];
    const [op] = Data.links.ops[this.now.sets[node.line]] ?? [];
    return op ? nameStack(Data.links.origins[op][0]) : [];
  },

  _fill() {
    this.shown = this.onlyChanges ? onlyChanged(this.rows, this.unfolded) : this.rows;
    this.list.show(this.shown, this.language);
  },

  _picked(row) {
    if (row.fold) {
      this.unfolded.add(row.fold);
      this._fill();
      return;
    }
    this.list.isLinked = linkTo(row.set);
    if (this.mode !== "text" && row.line >= 0) this.graph.reveal(row.line);
  },

  _chosen(node) {
    const index = this.shown.findIndex((row) => row.line === node.line && row.sign !== "-");
    if (index < 0) return;
    this.list.current = index;
    this.list.isLinked = linkTo(this.shown[index].set);
    this.list.reveal(index);
  },

  async openFunction(name) {
    const found = functionsOf(this.now.text);
    const start = found.get(name)?.[0] ?? found.get(`${name}.code`)?.[0];
    if (start === undefined) return;
    this.graph.reveal(start);
    this._chosen({ line: start });
  },

  // Remarks stand at the last op of what becomes a kernel, and at its function once there is one.
  _remarks(row) {
    if (row.sign === "-" || row.line < 0 || this.language === "asm") return [];
    if (BEFORE_KERNELS.has(Data.head.steps[this.step].phase)) {
      const remark = Remarks.atSet(row.set, this.now, row.line);
      const sent = Collectives.at(row.text, row.set);
      return [sent && `each process ${sent}`, remark && `${remark.kernel}: ${remark.text}`].filter(Boolean);
    }
    const name = /^ *(?:func|llvm|gpu)\.func .*?@([\w$-]+)(?:\.code)?\(/.exec(row.text)?.[1];
    return name ? Data.head.remarks.filter((remark) => remark.kernel === name).map((remark) => remark.text) : [];
  },

  _resize() {
    this.panes.className = `panes ${this.mode}`;
    this._drawGraph();
    this.list.refresh();
  },

  key(event) {
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const next = this.step + (event.key === "ArrowRight" ? 1 : -1);
      if (next >= 0 && next < Data.head.steps.length) this.go(next);
      return true;
    }
    if (event.key === "c") { this.changes.click(); return true; }
    return false;
  },
};

// Remarks by op: each is shown at the line of an op that has its last op alone.
const Remarks = {
  atSet(set, step, line) {
    const ops = Data.links.ops[set];
    if (ops.length !== 1 || !this._byOp().has(ops[0])) return null;
    if (line && step.sets[line - 1] === set) return null;
    return step.text[line].trim() === "}" ? null : this._byOp().get(ops[0]);
  },

  _byOp() {
    if (!this.found) this.found = new Map(Data.head.remarks.flatMap((remark) => remark.ops.map((op) => [op, remark])));
    return this.found;
  },
};

// What each process of a grid sends, at the ops that are collectives.
const Collectives = {
  at(text, set) {
    const kind = /(?:^|= )"?stablehlo\.([\w-]+)/.exec(text.trim())?.[1];
    if (!kind || !Data.head.collectives.length) return null;
    const ops = Data.links.ops[set];
    const found = Data.head.collectives.find((one) => one.kind === kind && one.ops.some((op) => ops.includes(op)));
    if (!found) return null;
    return `sends ${bytes(found.sent)}${found.group ? `, group of ${found.group}` : ""}`;
  },

  label(node, step) {
    for (const child of node.children) {
      const sent = child.line >= 0 && this.at(step.text[child.line], step.sets[child.line]);
      if (sent) child.type = `${child.type} ${sent}`.trim();
      this.label(child, step);
    }
  },
};

function stepTitle(step) { return `${step.phase} › ${step.name}`; }

function stepFigures(step) {
  const parts = [];
  if (step.ms) parts.push(duration(step.ms / 1e3));
  if (step.phase === "input" || step.phase === "code") parts.push(counted(step.added, "line"));
  else parts.push(step.added + step.dropped ? `+${step.added} −${step.dropped} lines` : "no change");
  return parts.join(" · ");
}

function nameStack(name) {
  const parts = [];
  let depth = 0, part = "";
  for (const letter of name) {
    if (letter === "(") depth++;
    if (letter === ")") depth--;
    if (letter === "/" && depth === 0) { parts.push(part); part = ""; } else part += letter;
  }
  return parts.filter((one) => one && !/^(?:p?jit\(.*\)|(?:transpose\()?jvp\(\)\)?)$/.test(one));
}

// Whether a row computes an op of a set.
function linkTo(set) {
  const chosen = Data.opsOfLine[set];
  if (!chosen?.size) return () => false;
  const answers = new Map();
  return (row) => {
    if (row.set === undefined) return false;
    if (!answers.has(row.set)) answers.set(row.set, Data.links.ops[row.set].some((op) => chosen.has(op)));
    return answers.get(row.set);
  };
}

function onlyChanged(rows, unfolded) {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, n) => { if (row.sign !== " ") near.fill(1, Math.max(0, n - CONTEXT), n + CONTEXT + 1); });
  const shown = [];
  for (let n = 0; n < rows.length; n++) {
    if (near[n]) { shown.push(rows[n]); continue; }
    let end = n;
    while (end < rows.length && !near[end]) end++;
    if (unfolded.has(n + 1)) shown.push(...rows.slice(n, end));
    else shown.push({ text: `⋯ ${counted(end - n, "line")}`, fold: n + 1, sign: " " });
    n = end - 1;
  }
  return shown;
}
