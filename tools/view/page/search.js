"use strict";
// Search: kernels, passes, functions and lines of the step that is shown.

const MOST_FOUND = 40;

const Search = {
  start() {
    this.input = document.getElementById("query");
    this.box = document.getElementById("found");
    this.input.addEventListener("input", () => this._search());
    this.input.addEventListener("focus", () => { if (this.input.value) this._search(); });
    this.input.addEventListener("keydown", (event) => this._key(event));
    document.addEventListener("pointerdown", (event) => { if (!event.target.closest("#search")) this.close(); });
  },

  close() { this.box.hidden = true; },

  async _search() {
    const query = this.input.value.trim().toLowerCase();
    if (!query) { this.close(); return; }
    const found = [], has = (text) => text.toLowerCase().includes(query);
    const take = (kind, items, make) => { for (const item of items.slice(0, MOST_FOUND / 4)) found.push({ kind, ...make(item) }); };
    take("kernel", Data.head.kernels.filter((kernel) => has(kernel.name)), (kernel) => ({ text: kernel.name, act: () => go("kernels", kernel.name) }));
    take("pass", Data.head.steps.map((step, n) => ({ step, n })).filter(({ step }) => has(step.name)), ({ step, n }) => ({ text: stepTitle(step), act: () => go("program", n) }));
    const number = Passes.step, step = await Data.step(number);
    take("function", [...functionsOf(step.text)].filter(([name]) => has(name)), ([name, [line]]) => ({ text: name, act: () => this._line(number, line) }));
    const lines = [];
    let more = 0;
    step.text.forEach((text, n) => { if (has(text)) { if (found.length + lines.length < MOST_FOUND) lines.push({ text, n }); else more++; } });
    for (const { text, n } of lines) found.push({ kind: `line ${n + 1}`, text: text.trim(), act: () => this._line(number, n) });
    if (this.input.value.trim().toLowerCase() === query) this._show(found, more);
  },

  async _line(number, line) {
    go("program", number);
    await Passes.go(number, line);
  },

  _show(found, more) {
    this.found = found;
    this.chosen = 0;
    this.box.replaceChildren(...found.map((one, n) => el("div", { class: "result", role: "option", onclick: () => this._act(n) },
      el("span", { class: "kind" }, one.kind), el("span", { class: "what" }, one.text.slice(0, 300)))));
    if (more) this.box.append(el("div", { class: "more" }, `${counted(more, "more line")}`));
    if (!found.length) this.box.append(el("div", { class: "more" }, "Nothing found"));
    this.box.hidden = false;
    this._mark();
  },

  _mark() {
    this.box.querySelectorAll(".result").forEach((result, n) => result.setAttribute("aria-selected", n === this.chosen));
    this.box.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  },

  _act(number) {
    this.close();
    this.input.blur();
    this.found[number]?.act();
  },

  _key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.found?.length) {
      this.chosen = (this.chosen + step + this.found.length) % this.found.length;
      this._mark();
      event.preventDefault();
    } else if (event.key === "Enter" && !this.box.hidden) this._act(this.chosen);
    else if (event.key === "Escape") { this.close(); this.input.blur(); }
    event.stopPropagation();
  },
};
