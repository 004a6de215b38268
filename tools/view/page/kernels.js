"use strict";
// The view of kernels: one kernel in all its forms, side by side. A click on a line of any form shows the lines that belong to it in all others.

const Kernels = {
  title: "Kernels",
  hidden: new Set(["llvm"]),

  make() {
    if (!Data.head.files.some((file) => file.shown && file.name.endsWith(".py"))) this.hidden.add("source"); // nearly the StableHLO again
    if (!Data.head.kernels.some((kernel) => kernel.schedule)) this.hidden.add("schedule"); // of a GPU's, there are none
    this.columns = this._columns();
    const shown = this.columns.filter((column) => !this.hidden.has(column.id) && column.id !== "schedule").length;
    if (window.innerWidth - 450 < 290 * shown) this.hidden.add("linalg"); // lines of 290 pixels are hard to read already
    this.choice = el("div", { class: "names", role: "listbox", tabindex: 0, "aria-label": "Kernels" });
    this.filter = el("input", { type: "search", placeholder: "Filter kernels", "aria-label": "Filter kernels", oninput: () => this._names() });
    this.head = el("div", { class: "kernel-head" });
    this.chips = el("div", { class: "chips", role: "group", "aria-label": "Columns" });
    for (const column of this.columns) {
      this.chips.append(toggle(column.title, !this.hidden.has(column.id), (on) => {
        this.hidden[on ? "delete" : "add"](column.id);
        this._arrange();
      }));
    }
    this.body = el("div", { class: "columns" }, ...this.columns.map((column) => column.element));
    this.element = el("section", { class: "view side" },
      el("aside", {}, this.filter, this.choice),
      el("div", { class: "main" }, this.head, this.chips, this.body));
    this._listen();
    this._names();
    this._arrange();
    return this.element;
  },

  _columns() {
    const steps = Data.head.steps, last = (phase) => steps.map((s) => s.phase).lastIndexOf(phase);
    const emitted = steps.findIndex((s) => /^emit-(?:gpu-)?kernels/.test(s.name));
    const gpu = Data.head.target === "gpu";
    const column = (id, title, step) => ({ id, title, step });
    const made = [
      ...(Data.head.files.some((file) => file.shown) ? [column("source", "Source", null)] : []),
      column("stablehlo", "StableHLO", 0), column("linalg", "Linalg", emitted - 1), column("schedule", "Schedule", null),
      column("code", gpu ? "GPU code" : "Vector code", last("memory")), column("llvm", gpu ? "NVVM" : "LLVM", last(gpu ? "nvvm" : "llvm")),
      column("asm", gpu ? "PTX" : "Assembly", last("code")),
    ].filter((one) => one.step === null || one.step >= 0);
    for (const one of made) {
      one.list = new TextList({
        label: one.title, language: one.id === "asm" ? "asm" : one.id === "source" ? "python" : "mlir",
        onpick: (row) => this._link(one, row), remarks: (row) => (one.id === "stablehlo" ? this._remarks(row) : []),
      });
      one.note = el("span", { class: "quiet" });
      one.element = el("div", { class: "column", "data-column": one.id }, el("h3", {}, one.title, one.note), one.list.element);
    }
    return made;
  },

  async open(argument) {
    const kernels = Data.head.kernels;
    const wanted = kernels.find((kernel) => kernel.name === argument) ?? this.kernel ?? longest() ?? kernels[0];
    if (!wanted) {
      this.head.replaceChildren(el("p", { class: "empty" }, "The program has no kernels."));
      this.chips.hidden = this.body.hidden = true;
      return;
    }
    await this.show(wanted);
  },

  _names() {
    const query = this.filter.value.toLowerCase();
    const shares = new Map((Data.head.profile?.rows ?? []).map((row) => [row.name, row.share]));
    const found = Data.head.kernels.filter((kernel) => kernel.name.toLowerCase().includes(query));
    this.offered = new TextList({ label: "Kernels", language: "plain", onpick: (row) => { if (row.kernel && row.kernel !== this.kernel) this.show(row.kernel); } });
    this.offered.show(found.map((kernel) => ({ text: kernel.name, kernel, line: -1, times: kernel.calls, share: shares.get(kernel.name) })));
    this.offered.isLinked = (row) => row.kernel === this.kernel;
    this.offered.options.remarks = (row) => [[row.times > 1 ? `×${row.times}` : "", row.share ? percent(row.share) : ""].filter(Boolean).join("  ")].filter(Boolean);
    this.choice.replaceChildren(this.offered.element);
    this.offered.refresh();
  },

  async show(kernel) {
    this.kernel = kernel;
    setPlace(`kernels/${encodeURIComponent(kernel.name)}`);
    this._head(kernel);
    this.offered.refresh();
    const linalg = this.columns.find((column) => column.id === "linalg");
    const own = linalg ? rowsOfFunctions(await Data.step(linalg.step), kernel, null) : [];
    const ops = new Set(own.flatMap((row) => (row.set === undefined ? [] : Data.links.ops[row.set])));
    for (const column of this.columns) {
      const rows = await this._rows(column, kernel, ops, own);
      if (this.kernel !== kernel) return;
      column.rows = rows;
      column.list.isLinked = column.id === "source" ? (row) => row.ops?.some((op) => ops.has(op)) : () => false;
      column.list.show(rows);
      column.list.element.scrollTop = 0;
      column.note.textContent = rows.length ? counted(rows.filter((row) => !row.head && !row.fold).length, "line") : "none";
    }
    this._arrange();
    const source = this.columns.find((column) => column.id === "source");
    if (source) this._reveal(source, (row) => row.ops?.some((op) => ops.has(op)));
  },

  _rows(column, kernel, ops, own) {
    if (column.id === "source") return sourceRows(ops);
    if (column.id === "schedule") return scheduleRows(kernel.schedule);
    if (column.id === "linalg") return own;
    return Data.step(column.step).then((step) => (column.id === "stablehlo" ? rowsOfOps(step, ops) : rowsOfFunctions(step, kernel, ops)));
  },

  _head(kernel) {
    const remarks = remarksOf(kernel);
    const rows = (Data.head.profile?.rows ?? []).filter((row) => row.name === kernel.name);
    const called = `called ${kernel.calls === 1 ? "once" : `${kernel.calls} times`}`;
    this.head.replaceChildren(
      el("h2", {}, kernel.name),
      el("p", { class: "quiet" }, [kernel.kind, called, ...rows.map(profileWords)].join(" · ")),
      ...remarks.filter((text) => text !== `${kernel.kind}, ${called}`).map((text) => el("p", { class: "remark-text" }, text)));
  },

  _remarks(row) {
    const ops = row.set === undefined ? [] : Data.links.ops[row.set];
    const found = ops.length === 1 ? Remarks._byOp().get(ops[0]) : null;
    return found && row.text.trim() !== "}" ? [found.text] : [];
  },

  _arrange() {
    for (const column of this.columns) {
      column.element.hidden = this.hidden.has(column.id) || (column.id === "schedule" && this.kernel !== undefined && !this.kernel.schedule);
      column.list.refresh();
    }
  },

  // Shows what belongs to a line, in every column.
  _link(from, row) {
    const ops = row.ops ?? (row.set === undefined ? [] : Data.links.ops[row.set]);
    const chosen = new Set(ops);
    const bySet = new Map();
    const linked = (other) => {
      if (other.ops) return other.ops.some((op) => chosen.has(op));
      if (other.set === undefined) return false;
      if (!bySet.has(other.set)) bySet.set(other.set, Data.links.ops[other.set].some((op) => chosen.has(op)));
      return bySet.get(other.set);
    };
    for (const column of this.columns) {
      column.list.isLinked = chosen.size ? linked : () => false;
      if (column !== from) {
        column.list.current = -1;
        this._reveal(column, (other) => chosen.size > 0 && linked(other));
      }
      column.list.refresh();
    }
  },

  _reveal(column, wanted) {
    const index = (column.rows ?? []).findIndex(wanted);
    if (index >= 0) column.list.reveal(index);
  },

  _listen() {
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      for (const column of this.columns) {
        column.list.isLinked = () => false;
        column.list.current = -1;
        column.list.refresh();
      }
    });
  },

  key(event) {
    const step = { j: 1, k: -1 }[event.key];
    if (!step) return false;
    const kernels = Data.head.kernels, next = kernels.indexOf(this.kernel) + step;
    if (kernels[next]) this.show(kernels[next]);
    return true;
  },
};

// The kernel that took the most time, of a program that was profiled.
function longest() {
  const names = (Data.head.profile?.rows ?? []).map((row) => row.name); // the longest first
  const kernels = names.map((name) => Data.head.kernels.find((kernel) => kernel.name === name));
  return kernels.find(Boolean);
}

// The functions of a kernel in a text: those of its name, or (where the target joins kernels) those that compute its ops.
function rowsOfFunctions(step, kernel, ops) {
  const all = [...functionsOf(step.text)];
  const belongs = (name) => kernel.functions.some((own) => name === own || (name.startsWith(own) && /^(?:\.|_\d+$)/.test(name.slice(own.length))));
  let chosen = all.filter(([name]) => belongs(name));
  if (!chosen.length && ops) chosen = all.filter(([name, range]) => !/^(?:main|hlo_entry)$/.test(name) && holds(step, range, ops));
  return chosen.flatMap(([, [start, end]], n) => [
    ...(n ? [{ text: "", line: -1 }] : []),
    ...step.text.slice(start, end).map((text, i) => ({ text: text.replace(/^ {2}/, ""), set: step.sets[start + i], line: start + i })),
  ]);
}

function holds(step, [start, end], ops) {
  for (let n = start; n < end; n++) if (Data.links.ops[step.sets[n]].some((op) => ops.has(op))) return true;
  return false;
}

// The lines of ops; what is between them is left out.
function rowsOfOps(step, ops) {
  const rows = [];
  let last = -1;
  step.text.forEach((text, n) => {
    if (!Data.links.ops[step.sets[n]].some((op) => ops.has(op)) || /^\s*(?:module|func\.func)/.test(text)) return;
    if (last >= 0 && n > last + 1) rows.push({ text: "⋯", head: true });
    rows.push({ text: text.replace(/^ {4}/, ""), set: step.sets[n], line: n });
    last = n;
  });
  return rows;
}

function scheduleRows(schedule) {
  const rows = [];
  const add = (value, name, depth) => {
    const indent = "  ".repeat(depth);
    if (value && typeof value === "object" && !(Array.isArray(value) && value.every((one) => typeof one !== "object"))) {
      if (name !== null) rows.push({ text: `${indent}${name}`, line: -1 });
      for (const [key, inner] of Object.entries(value)) add(inner, Array.isArray(value) ? `nest ${Number(key) + 1}` : key, depth + (name !== null));
    } else rows.push({ text: `${indent}${name.padEnd(14 - 2 * depth)} ${Array.isArray(value) ? value.join(" × ") : JSON.stringify(value)}`, line: -1 });
  };
  if (schedule) add(schedule, null, 0);
  return rows;
}

// The files that the kernel's ops come from; each line has the ops that it, or what it calls, makes.
function sourceRows(ops) {
  const byFile = new Map();
  Data.links.origins.forEach(([, ...places], op) => {
    for (const [file, line] of places) {
      if (!Data.head.files[file].shown) continue;
      if (!byFile.has(file)) byFile.set(file, new Map());
      const lines = byFile.get(file);
      if (!lines.has(line - 1)) lines.set(line - 1, []);
      lines.get(line - 1).push(op);
    }
  });
  const rows = [], isPython = (file) => Data.head.files[file].name.endsWith(".py");
  const only = [...byFile.keys()].some(isPython);
  for (const [file, lines] of byFile) {
    if (only && !isPython(file)) continue;
    if (![...lines.values()].some((own) => own.some((op) => ops.has(op)))) continue;
    const language = Data.head.files[file].name.endsWith(".py") ? "python" : "mlir";
    rows.push({ text: Data.head.files[file].name, head: true });
    Data.links.sources[file].split("\n").forEach((text, n) => rows.push({ text, line: n, ops: lines.get(n) ?? [], language }));
  }
  return rows;
}

function remarksOf(kernel) {
  return Data.head.remarks
    .filter((remark) => kernel.functions.some((own) => remark.kernel === own || /^_\d+$/.test(remark.kernel.startsWith(own) ? remark.kernel.slice(own.length) : "")))
    .map((remark) => (kernel.functions.length > 1 ? `${remark.kernel}: ${remark.text}` : remark.text));
}
