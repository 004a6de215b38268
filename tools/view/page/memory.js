"use strict";
// The view of memory: the arena's bytes from below to above, the program's steps from left to right; a box is a value while it lives.

const Memory = {
  title: "Memory",

  make() {
    this.plans = Data.head.memory;
    this.chart = el("div", { class: "chart" });
    this.about = el("div", { class: "about" });
    const choice = this.plans.length > 1 ? el("select", { "aria-label": "Function", onchange: (event) => this._show(this.plans[event.target.value]) },
      ...this.plans.map((plan, n) => el("option", { value: n }, plan.function))) : null;
    this.element = el("section", { class: "view" }, el("div", { class: "strip" }, this.about, choice), this.chart);
    new ResizeObserver(() => { if (this.plan && this.chart.clientWidth) this._draw(); }).observe(this.chart);
    return this.element;
  },

  async open() {
    setPlace("memory");
    if (this.plans.length) this._show(this.plan ?? this.plans[0]);
    else this.chart.replaceChildren(el("p", { class: "empty" }, "The program has no temporary values: every kernel writes into a result."));
  },

  _show(plan) {
    this.plan = plan;
    const live = liveBytes(plan), most = Math.max(...live);
    this.about.replaceChildren(el("strong", {}, plan.function), el("span", { class: "quiet" },
      `arena ${bytes(plan.size)} · ${counted(plan.values.length, "value")} · ${counted(plan.steps.length, "step")} · most alive at once ${bytes(most)}, at step ${live.indexOf(most) + 1}`));
    this._draw();
  },

  _draw() {
    const plan = this.plan, live = liveBytes(plan);
    const width = this.chart.clientWidth, height = Math.max(this.chart.clientHeight, 240);
    const frame = { left: 76, right: 16, top: 92, bottom: 34 }; // above it: the bytes alive
    const steps = Math.max(plan.steps.length, 1);
    const x = (step) => frame.left + (width - frame.left - frame.right) * step / steps;
    const y = (byte) => height - frame.bottom - (height - frame.top - frame.bottom) * byte / plan.size;
    const high = (byte) => 72 - 52 * byte / plan.size;
    const area = `M${x(0)} ${high(0)}${live.map((n, step) => `L${x(step)} ${high(n)}L${x(step + 1)} ${high(n)}`).join("")}L${x(steps)} ${high(0)}Z`;
    const drawing = svg("svg", { width, height, role: "img", "aria-label": `Arena of ${bytes(plan.size)}` });
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const at = y(part * plan.size);
      drawing.append(svg("line", { class: "grid", x1: frame.left, x2: width - frame.right, y1: at, y2: at }),
        svg("text", { class: "axis", x: frame.left - 8, y: at + 4, "text-anchor": "end" }, bytes(part * plan.size)));
    }
    drawing.append(svg("path", { class: "live", d: area }), svg("text", { class: "axis", x: frame.left - 8, y: 50, "text-anchor": "end" }, "alive"));
    for (const value of plan.values) drawing.append(this._box(value, x, y), this._words(value, x, y));
    for (const step of ticks(steps)) {
      drawing.append(svg("text", { class: "axis", x: x(step + 0.5), y: height - frame.bottom + 18, "text-anchor": "middle" }, String(step + 1)));
    }
    drawing.append(svg("text", { class: "axis", x: width - frame.right, y: height - 3, "text-anchor": "end" }, "step"));
    this.chart.replaceChildren(drawing);
  },

  _box(value, x, y) {
    const writer = this.plan.steps[value.start] ?? "", reader = this.plan.steps[value.end] ?? "";
    const box = svg("rect", {
      class: "value", x: x(value.start), width: Math.max(x(value.end + 1) - x(value.start), 1), y: y(value.offset + value.size), tabindex: 0,
      height: Math.max(y(value.offset) - y(value.offset + value.size), 1), "aria-label": `${value.type}, ${bytes(value.size)}, from ${writer}`,
    });
    const tell = (event) => Tip.show(event, [
      value.type, `${bytes(value.size)} at ${value.offset.toLocaleString("en")}`,
      `step ${value.start + 1} (${writer}) to ${value.end + 1} (${reader})`]);
    box.addEventListener("pointermove", tell);
    box.addEventListener("pointerleave", () => Tip.hide());
    box.addEventListener("click", () => { Tip.hide(); if (Data.head.kernels.some((kernel) => kernel.name === writer)) go("kernels", writer); });
    return box;
  },

  // What a box holds, where there is room to say so.
  _words(value, x, y) {
    const width = x(value.end + 1) - x(value.start), height = y(value.offset) - y(value.offset + value.size);
    const words = [shortType(value.type), this.plan.steps[value.start] ?? ""].map((text) => text.slice(0, Math.max(0, Math.floor((width - 14) / 6.7))));
    if (width < 60 || height < 17) return svg("g", {});
    const top = y(value.offset + value.size) + 15;
    return svg("g", {}, ...words.slice(0, height > 36 ? 2 : 1).map((text, n) => svg("text", { class: "inside", x: x(value.start) + 7, y: top + 15 * n }, text)));
  },

  key() { return false; },
};

// Bytes of the arena that some value has, at each step.
function liveBytes(plan) {
  const starting = plan.steps.map(() => []);
  if (!starting.length) starting.push([]);
  for (const value of plan.values) starting[Math.min(value.start, starting.length - 1)].push(value);
  let alive = [];
  return starting.map((values, step) => {
    alive = [...alive.filter((value) => value.end >= step), ...values];
    const ranges = alive.map((value) => [value.offset, value.offset + value.size]).sort((a, b) => a[0] - b[0]);
    let total = 0, reached = 0;
    for (const [start, end] of ranges) {
      total += Math.max(0, end - Math.max(start, reached));
      reached = Math.max(reached, end);
    }
    return total;
  });
}

function ticks(count) {
  const by = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((n) => count / n <= 20) ?? Math.ceil(count / 20);
  return Array.from({ length: Math.ceil(count / by) }, (_, n) => (n ? n * by - 1 : 0));
}
