"use strict";
// The view of a profile: where the time of a call goes, by the lines of the source; and each kernel against what the machine can do.

const Profile = {
  title: "Profile",

  make() {
    const profile = this.data = Data.head.profile;
    const median = profile.call_seconds ? ` (median ${duration(profile.call_seconds.median)})` : "";
    this.about = el("div", { class: "about" }, el("strong", {}, `${duration(profile.seconds)} a call${median}`), el("span", { class: "quiet" },
      `mean of ${counted(profile.runs, "call")} · ${profile.processor} · up to ${counted(profile.threads, "thread")}`));
    this.flame = el("div", { class: "flame", role: "tree", "aria-label": "Flame graph" });
    this.roof = el("div", { class: "roof" });
    this.path = el("p", { class: "quiet flame-path" });
    this.element = el("section", { class: "view" }, el("div", { class: "strip" }, this.about),
      el("div", { class: "profile" }, el("h3", {}, "Time by source line"), this.path, this.flame,
        el("div", { class: "halves" }, el("div", {}, el("h3", {}, "Roofline"), this.roof), el("div", { class: "table-pane" }, el("h3", {}, "Kernels"), profileTable(profile)))));
    this.tree = flameTree(profile);
    this.root = this.tree;
    new ResizeObserver(() => { if (this.flame.clientWidth) this._draw(); }).observe(this.flame);
    return this.element;
  },

  async open() {
    setPlace("profile");
    this._draw();
  },

  _draw() {
    this.path.replaceChildren(this.root === this.tree ? "A click on a frame enlarges it; on a kernel, shows its code." : el("button", { type: "button", class: "toggle", onclick: () => this._enter(this.tree) }, "Whole call"));
    const frames = [], width = this.flame.clientWidth;
    const add = (node, left, wide, depth) => {
      frames.push(this._frame(node, left, wide, depth));
      let at = left;
      for (const child of [...node.children.values()].sort((a, b) => b.seconds - a.seconds)) {
        const part = wide * child.seconds / node.seconds;
        if (part >= 1.5) add(child, at, part, depth + 1);
        at += part;
      }
    };
    if (this.root.seconds > 0) add(this.root, 0, width, 0);
    this.flame.replaceChildren(...frames);
    this.flame.style.height = `${(depthOf(this.root) + 1) * 23 + 4}px`;
    this.roof.replaceChildren(roofline(this.data, this.roof.clientWidth || 500));
  },

  _frame(node, left, width, depth) {
    const share = `${percent(node.seconds / this.data.seconds)} · ${duration(node.seconds)}`;
    const frame = el("button", {
      type: "button", class: `frame${node.kernel ? " kernel" : node.waits ? " waits" : ""}${width < 24 ? " narrow" : ""}`, "aria-label": `${node.label}, ${share}`,
      style: `left:${left}px;top:${depth * 23}px;width:${Math.max(width - 1, 1)}px`,
      onclick: () => { Tip.hide(); if (node.kernel) go("kernels", node.kernel); else this._enter(node); },
      onpointerleave: () => Tip.hide(),
    }, width > 240 && node.code ? `${node.label}   ${node.code}` : width > 36 ? node.label : "");
    frame.addEventListener("pointermove", (event) => Tip.show(event, [node.label, share, node.code]));
    return frame;
  },

  _enter(node) {
    if (!node.children.size) return;
    this.root = node;
    this._draw();
  },

  key(event) {
    if (event.key !== "Escape") return false;
    this._enter(this.tree);
    return true;
  },
};

function percent(share) { return `${(100 * share).toFixed(share >= 0.0995 ? 0 : 1)}%`; }

function depthOf(node) { return 1 + Math.max(-1, ...[...node.children.values()].map(depthOf)); }

// A call's time, by the lines that led to each kernel: callers above what they call, kernels last, and below them the time they waited.
// A kernel that several ops became has its time divided among them.
function flameTree(profile) {
  const top = frameOf(profile.program || "the program");
  for (const row of profile.rows) {
    const stacks = stacksOf(row);
    for (const stack of stacks) {
      const seconds = row.seconds / stacks.length;
      let node = grown(top, seconds);
      for (const [label, code] of stack) node = grown(child(node, label, code), seconds);
      node = grown(child(node, row.name, ""), seconds);
      if (Data.head.kernels.some((kernel) => kernel.name === row.name)) node.kernel = row.name;
      const waited = row.wait_seconds / stacks.length;
      if (waited > seconds / 20) Object.assign(grown(child(node, "waits for threads", ""), Math.min(waited, seconds)), { waits: true });
    }
  }
  return top;
}

function frameOf(label, code = "") { return { label, code, seconds: 0, children: new Map() }; }

function grown(node, seconds) { node.seconds += seconds; return node; }

function child(node, label, code) {
  if (!node.children.has(label)) node.children.set(label, frameOf(label, code));
  return node.children.get(label);
}

// For each op that a row is the kernel of: [label, line of code], the outermost caller first.
function stacksOf(row) {
  const functions = Data.head.kernels.find((kernel) => kernel.name === row.name)?.functions ?? [row.name];
  const remark = Data.head.remarks.find((one) => one.kernel === functions[functions.length - 1]);
  const stacks = (remark?.ops ?? []).map((op) => Data.links.origins[op].slice(1).reverse().map(([file, line]) => [file, line]));
  const known = stacks.filter((stack) => stack.length);
  if (!known.length) return [(row.sources ?? []).slice(0, 1).map(({ file, line }) => [`${lastPart(file)}:${line}`, ""])];
  return known.map((stack) => stack.map(([file, line]) => [
    `${lastPart(Data.head.files[file].name)}:${line}`, (Data.links.sources[file] ?? "").split("\n", line)[line - 1]?.trim().slice(0, 200) ?? ""]));
}

function lastPart(path) { return path.split("/").pop(); }

// Operations a second against operations a byte, both as powers of ten; the roof is what the machine does.
function roofline(profile, width) {
  const height = 330, frame = { left: 62, right: 14, top: 12, bottom: 40 };
  const points = profile.rows.filter((row) => row.flops && row.bytes_read + row.bytes_written > 0).map((row) => ({
    row, x: row.flops / (row.bytes_read + row.bytes_written), y: row.flops * row.calls / row.seconds,
  }));
  const machine = profile.machine, speeds = (machine?.bytes ?? []).map(([, speed]) => speed);
  const drawing = svg("svg", { width, height, role: "img", "aria-label": "Roofline" });
  if (!points.length) return el("p", { class: "empty" }, "No kernel whose operations are known.");
  const ys = [...points.map((p) => p.y), ...(machine ? [machine.f32] : [])], xs = [...points.map((p) => p.x), 0.1, machine ? machine.f32 / Math.min(...speeds) : 10];
  const range = (values) => [Math.floor(Math.log10(Math.min(...values)) - 0.1), Math.ceil(Math.log10(Math.max(...values)) + 0.1)];
  const [x0, x1] = range(xs), [y0, y1] = range(ys);
  const x = (value) => frame.left + (width - frame.left - frame.right) * (Math.log10(value) - x0) / (x1 - x0);
  const y = (value) => height - frame.bottom - (height - frame.top - frame.bottom) * (Math.log10(value) - y0) / (y1 - y0);
  for (let n = y0; n <= y1; n++) drawing.append(svg("line", { class: "grid", x1: frame.left, x2: width - frame.right, y1: y(10 ** n), y2: y(10 ** n) }), svg("text", { class: "axis", x: frame.left - 7, y: y(10 ** n) + 4, "text-anchor": "end" }, rate(10 ** n)));
  for (let n = x0; n <= x1; n++) drawing.append(svg("text", { class: "axis", x: x(10 ** n), y: height - frame.bottom + 17, "text-anchor": "middle" }, String(Number((10 ** n).toPrecision(1)))));
  drawing.append(svg("text", { class: "axis", x: width - frame.right, y: height - 6, "text-anchor": "end" }, "operations a byte"));
  for (const [size, speed] of machine ? [machine.bytes[0], machine.bytes[machine.bytes.length - 1]] : []) {
    const start = Math.max(10 ** x0, 10 ** y0 / speed), bend = machine.f32 / speed;
    drawing.append(svg("path", { class: "roof-line", d: `M${x(start)} ${y(start * speed)}L${x(bend)} ${y(machine.f32)}L${x(10 ** x1)} ${y(machine.f32)}` }),
      svg("text", { class: "axis", x: x(start) + 8, y: y(start * speed) - 8, transform: `rotate(${-slope(x, y) } ${x(start)} ${y(start * speed)})` }, `arrays of ${bytes(size)}: ${rate(speed)}B/s`));
  }
  if (machine) drawing.append(svg("text", { class: "axis", x: width - frame.right, y: y(machine.f32) - 6, "text-anchor": "end" }, `f32: ${rate(machine.f32)}op/s`));
  for (const point of points.sort((a, b) => b.row.share - a.row.share)) drawing.append(roofPoint(point, x, y));
  return drawing;
}

function slope(x, y) { return Math.atan2(y(1) - y(10), x(10) - x(1)) * 180 / Math.PI; }

function roofPoint({ row, x: intensity, y: speed }, x, y) {
  const circle = svg("circle", { class: `point k-${row.kind}`, cx: x(intensity), cy: y(speed), r: 3.5 + 14 * Math.sqrt(row.share), tabindex: 0, "aria-label": row.name });
  circle.addEventListener("pointermove", (event) => Tip.show(event, [row.name, profileWords(row), `${rate(speed)}op/s, ${Number(intensity.toPrecision(3))} operations a byte`]));
  circle.addEventListener("pointerleave", () => Tip.hide());
  circle.addEventListener("click", () => { Tip.hide(); go("kernels", row.name); });
  return circle;
}

function rate(value) {
  const units = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]];
  const [unit, size] = units.find(([, size]) => value >= size) ?? ["", 1];
  return `${Number((value / size).toPrecision(3))} ${unit}`;
}

function profileWords(row) {
  const roof = row.roofline === null || row.roofline === undefined ? "" : `, ${percent(row.roofline)} of the roofline (${row.bound})`;
  return `${percent(row.share)} of the time: ${duration(row.seconds)} in ${counted(Math.round(row.calls), "call")}${roof}`;
}

const MOST_ROWS = 300;

function profileTable(profile) {
  const known = new Set(Data.head.kernels.map((kernel) => kernel.name));
  const line = (row) => {
    const cells = [
      duration(row.seconds), String(Math.round(row.calls)),
      row.flops ? `${rate(row.flops * row.calls / row.seconds)}op/s` : "",
      row.roofline === null || row.roofline === undefined ? "" : percent(row.roofline),
      row.kind === "other" ? "" : String(row.threads), row.wait_seconds > row.seconds / 100 ? percent(row.wait_seconds / row.seconds) : "",
    ];
    const name = known.has(row.name) ? el("button", { type: "button", class: "link", onclick: () => go("kernels", row.name) }, row.name) : row.name;
    return el("tr", {}, el("td", {}, name), el("td", { class: "share" }, el("span", { style: `width:${(100 * row.share).toFixed(1)}%` }), percent(row.share)),
      ...cells.map((text) => el("td", { class: "figure" }, text)));
  };
  const heads = ["", "share", "time", "calls", "speed", "roofline", "threads", "waits"].map((text) => el("th", { scope: "col" }, text));
  const shown = profile.rows.slice(0, MOST_ROWS), left = profile.rows.length - shown.length;
  return el("div", {}, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...shown.map(line))), left ? el("p", { class: "quiet" }, `${left} shorter rows`) : null);
}
