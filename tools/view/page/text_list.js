"use strict";
// A list of lines of which only those in sight are elements, so that a million lines scroll as ten do.

const ROW = 19; // pixels
const BEYOND = 12; // rows that are made above and below what is in sight

class TextList {
  // options: label, language, onpick(row, index), remarks (function of a row: texts).
  constructor(options) {
    this.options = options;
    this.rows = [];
    this.current = -1;
    this.isLinked = () => false;
    this.sheet = el("div", { class: "sheet" });
    this.element = el("div", { class: "lines", tabindex: 0, role: "listbox", "aria-label": options.label }, this.sheet);
    this.element.addEventListener("scroll", () => this._later());
    this.element.addEventListener("keydown", (event) => this._key(event));
    this.element.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.pick(Number(row.dataset.row));
    });
    new ResizeObserver(() => this._later()).observe(this.element);
  }

  // rows: {text, set?, line?, sign?, mark?, fold?, head?, language?}.
  show(rows, language = this.options.language) {
    this.rows = rows;
    this.language = language;
    this.current = -1;
    const longest = rows.reduce((most, row) => Math.max(most, row.text.length), 0);
    this.element.scrollLeft = 0;
    this.sheet.style.height = `${rows.length * ROW}px`;
    this.sheet.style.minWidth = `${Math.min(longest, 2000) + 12}ch`;
    this.refresh();
  }

  refresh() {
    const top = this.element.scrollTop, height = this.element.clientHeight;
    const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / ROW) + BEYOND);
    const made = [];
    for (let n = first; n < last; n++) made.push(this._made(n));
    this.sheet.replaceChildren(...made);
  }

  pick(index) {
    const row = this.rows[index];
    if (!row) return;
    this.current = index;
    this.options.onpick?.(row, index);
    this.refresh();
  }

  reveal(index, smooth = false) {
    const height = this.element.clientHeight, top = index * ROW;
    if (top < this.element.scrollTop + ROW || top > this.element.scrollTop + height - 2 * ROW) {
      this.element.scrollTo({ top: Math.max(0, top - height / 3), behavior: smooth ? "smooth" : "instant" });
    }
    this.refresh();
  }

  _made(index) {
    const row = this.rows[index];
    const sign = { "+": " added", "-": " dropped" }[row.sign] ?? "";
    const kind = row.head ? " head" : row.fold ? " fold" : "";
    const linked = this.isLinked(row) ? " linked" : "";
    const line = el("div", {
      class: `row${sign}${kind}${linked}${index === this.current ? " current" : ""}`,
      "data-row": index, role: "option", "aria-selected": index === this.current,
      style: `top:${index * ROW}px`,
    });
    const number = row.line === undefined || row.line < 0 || row.fold || row.head ? "" : row.line + 1;
    line.append(el("span", { class: "number" }, String(number)), el("span", { class: "code" }, ...(row.fold || row.head ? [row.text] : coloured(row.text, row.language ?? this.language, row.mark))));
    for (const remark of this.options.remarks?.(row) ?? []) {
      line.append(el("span", { class: "remark", title: remark }, remark));
    }
    return line;
  }

  _later() {
    if (this._waits) return;
    this._waits = true;
    requestAnimationFrame(() => { this._waits = false; this.refresh(); });
  }

  _key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    let next = Math.min(Math.max(this.current + step, 0), this.rows.length - 1);
    if (this.current < 0) next = Math.floor(this.element.scrollTop / ROW);
    this.pick(next);
    this.reveal(next);
  }
}
