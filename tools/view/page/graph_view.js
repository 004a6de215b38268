"use strict";
// The graph of a step, drawn as SVG. Groups open and close; what is far outside the window is not drawn.

class GraphView {
  // options: onpick(node), onopen(name of a function).
  constructor(options) {
    this.options = options;
    this.openLabels = new Set();
    this.closedLabels = new Set();
    this.showsFree = false;
    this.scene = svg("g", {});
    this.canvas = svg("svg", { class: "graph", tabindex: 0, role: "tree", "aria-label": "Graph" }, this.scene);
    const button = (text, label, act) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    this.element = el("div", { class: "graph-pane" }, this.canvas,
      el("div", { class: "graph-tools" },
        button("+", "Larger", () => this.zoom(1.3)), button("−", "Smaller", () => this.zoom(1 / 1.3)),
        button("Fit", "Show all (0)", () => this.fit()), button("Fold all", "Close all groups", () => this.foldAll()),
        toggle("Inputs", false, (on) => { this.showsFree = on; this.arrange(); }, "Show inputs and constants")));
    this._listen();
  }

  // graph: of graphOf, folded; added: lines that the step added.
  show(graph, added) {
    this.graph = graph;
    this.added = added;
    this.selected = null;
    this.edgesIn = edgesByGroup(graph.edges);
    this._countAdded(graph.root);
    this._openFirst();
    this.arrange();
    if (!this.moved) this.fit(); // what the user has chosen to look at stays in sight
  }

  visible(node) {
    return this.showsFree ? node.children : node.children.filter((child) => !FREE.has(child.op));
  }

  isOpen(node) { return node === this.graph.root || node.isOpen === true; }

  sizeOf(node) {
    const letters = Math.max(node.label.length, (node.type.length + 1) * 0.86, 4);
    return { width: Math.min(Math.round(letters * 7.3) + 26 + (node.isGroup ? 18 : 0), 300), height: node.type || node.isGroup ? 40 : 26 };
  }

  headWidth(node) { return Math.min(node.label.length * 7.3 + 60, 320); }

  // What was open in the step before stays open.
  _openFirst() {
    const shown = this.graph.root.children.length;
    const visit = (node) => {
      for (const child of node.children) {
        if (!child.isGroup) continue;
        const first = node === this.graph.root && (shown === 1 || child.label === "main") && child.children.length <= 2 * MOST_CHILDREN;
        child.isOpen = this.openLabels.has(pathOf(child)) || (first && !this.closedLabels.has(pathOf(child)));
        visit(child);
      }
    };
    visit(this.graph.root);
  }

  _countAdded(node) {
    node.news = node.children.length ? node.children.reduce((sum, child) => sum + this._countAdded(child), 0) : this.added.has(node.line) ? 1 : 0;
    return node.news;
  }

  arrange() {
    layoutGroup(this.graph.root, this);
    this.draw();
  }

  setOpen(node, open) {
    if (!node.isGroup || node === this.graph.root) return;
    this.moved = true;
    const before = this._onScreen(node);
    node.isOpen = open;
    (open ? this.openLabels : this.closedLabels).add(pathOf(node));
    (open ? this.closedLabels : this.openLabels).delete(pathOf(node));
    layoutGroup(this.graph.root, this);
    const after = this._onScreen(node);
    this.at.x += before.x - after.x;
    this.at.y += before.y - after.y;
    this.draw();
  }

  foldAll() {
    const close = (node) => { for (const child of node.children) { if (child.isGroup) { child.isOpen = false; close(child); } } };
    close(this.graph.root);
    this.openLabels.clear();
    this.graph.root.children.forEach((child) => this.closedLabels.add(pathOf(child)));
    this.arrange();
    this.fit();
  }

  // Opens what holds a line, and selects its node.
  reveal(line) {
    let node = this.graph.root;
    const path = [];
    for (let next = node; next; node = next) {
      next = null;
      for (const child of node.children) if (child.line <= line && line <= child.end && (child.op !== "argument") && (!next || child.line > next.line)) next = child;
      if (next) path.push(next);
    }
    const goal = path[path.length - 1];
    if (!goal) return;
    path.slice(0, -1).forEach((group) => { group.isOpen = true; this.openLabels.add(pathOf(group)); this.closedLabels.delete(pathOf(group)); });
    this.selected = goal;
    this.arrange();
    this.centre(goal);
  }

  select(node, tell = true) {
    this.selected = node;
    this.draw();
    if (tell && node) this.options.onpick(node);
  }

  _origin(node) {
    let [x, y] = [0, 0];
    for (let one = node; one && one !== this.graph.root; one = one.parent) { x += one.x; y += one.y; }
    return { x, y };
  }

  _onScreen(node) {
    const { x, y } = this._origin(node);
    return { x: x * this.at.scale + this.at.x, y: y * this.at.scale + this.at.y };
  }

  centre(node) {
    const { x, y } = this._origin(node), { clientWidth, clientHeight } = this.element;
    const scale = Math.max(this.at.scale, 0.7);
    this.at = { scale, x: clientWidth / 2 - (x + Math.min(node.width, clientWidth) / 2) * scale, y: clientHeight / 3 - y * scale };
    this.draw();
  }

  at = { x: 0, y: 0, scale: 1 };
  moved = false;

  fit() {
    this.moved = false;
    const { clientWidth, clientHeight } = this.element, { width, height } = this.graph.root;
    if (!clientWidth) return;
    const scale = Math.min(1, Math.max(clientWidth / (width + 20), 0.35), Math.max(clientHeight / (height + 20), clientWidth / (width + 20), 0.35));
    const x = width * scale <= clientWidth ? (clientWidth - width * scale) / 2 : clientWidth / 2 - this._firstColumn() * scale;
    this.at = { scale, x: Math.min(x, Math.max((clientWidth - width * scale) / 2, 10 - GAP.box * scale)), y: 0 };
    this.draw();
  }

  // The middle of the box at the top.
  _firstColumn() {
    let node = this.graph.root, x = 0;
    while (node === this.graph.root || this.isOpen(node)) {
      const [first] = [...node.shown].sort((a, b) => a.y - b.y);
      if (!first) break;
      node = first;
      x += node.x;
    }
    return x + node.width / 2;
  }

  zoom(factor, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
    this.moved = true;
    const scale = Math.min(3, Math.max(0.05, this.at.scale * factor)), by = scale / this.at.scale;
    this.at = { scale, x: x - (x - this.at.x) * by, y: y - (y - this.at.y) * by };
    this.draw();
  }

  draw() {
    if (!this.graph) return;
    this.scene.setAttribute("transform", `translate(${this.at.x} ${this.at.y}) scale(${this.at.scale})`);
    const { scale, x, y } = this.at, margin = 200;
    this.window = { left: (-x - margin) / scale, top: (-y - margin) / scale, right: (this.element.clientWidth - x + margin) / scale, bottom: (this.element.clientHeight - y + margin) / scale };
    const made = [];
    this._drawInside(this.graph.root, 0, 0, made);
    if (this.selected) this._drawLinks(this.selected, made);
    this.scene.replaceChildren(...made);
  }

  _inWindow(x, y, width, height) {
    const w = this.window;
    return x < w.right && x + width > w.left && y < w.bottom && y + height > w.top;
  }

  _drawInside(node, left, top, made) {
    for (const path of node.paths) {
      const xs = path.points.map((p) => p.x + left), ys = path.points.map((p) => p.y + top);
      if (this._inWindow(Math.min(...xs), Math.min(...ys), Math.max(...xs) - Math.min(...xs) + 1, Math.max(...ys) - Math.min(...ys) + 1)) {
        const chosen = path.ends.includes(this.selected) ? " chosen" : "";
        made.push(svg("path", { class: `edge${chosen}`, d: curve(path.points, path.ends, left, top) }));
      }
    }
    for (const child of node.shown) {
      const x = left + child.x, y = top + child.y;
      if (!this._inWindow(x, y, child.width, child.height)) continue;
      made.push(this._box(child, x, y));
      if (this.isOpen(child)) this._drawInside(child, x, y, made);
    }
  }

  _box(node, x, y) {
    const open = this.isOpen(node), kind = node.isGroup ? (open ? "group open" : "group") : node.callee ? "node call" : "node";
    const free = FREE.has(node.op) ? " free" : "", news = node.news ? " news" : "", chosen = node === this.selected ? " chosen" : "";
    const most = Math.floor((node.width - (node.isGroup ? 44 : 22)) / 7.1);
    const label = node.label.length > most ? `${node.label.slice(0, Math.max(most - 1, 1))}…` : node.label;
    const box = svg("g", {
      class: `${kind}${free}${news}${chosen} d-${dialectOf(node)}`, transform: `translate(${x} ${y})`, role: "treeitem",
      "aria-label": `${node.label} ${node.type}`, "aria-expanded": node.isGroup ? open : null,
    }, svg("rect", { width: node.width, height: node.height, rx: node.isGroup ? 7 : 5 }));
    box.node = node;
    const middle = open ? 20 : node.type || node.isGroup ? 17 : 17;
    if (node.isGroup) box.append(svg("text", { class: "fold-mark", x: 11, y: middle }, open ? "▾" : "▸"));
    box.append(svg("text", { class: "label", x: node.isGroup ? 25 : 11, y: middle }, label));
    if (!open && (node.type || node.isGroup)) {
      const under = node.isGroup && !node.type ? counted(sizeOf(node), "op") : node.type;
      box.append(svg("text", { class: "type", x: node.isGroup ? 25 : 11, y: 32 }, under.length > most * 1.16 ? `${under.slice(0, Math.floor(most * 1.16) - 1)}…` : under));
    }
    return box;
  }

  // Edges of the selected node that cross the borders of groups.
  _drawLinks(node, made) {
    const seen = new Set();
    for (const [from, to] of this.graph.edges) {
      if (from !== node && to !== node) continue;
      const [a, b] = [this._shownFor(from), this._shownFor(to)];
      if (!a || !b || a === b || a.parent === b.parent || seen.has(`${a.line} ${b.line}`)) continue;
      seen.add(`${a.line} ${b.line}`);
      const p = this._origin(a), q = this._origin(b);
      const [x, y, u, v] = [p.x + a.width / 2, p.y + a.height, q.x + b.width / 2, q.y];
      const bend = Math.max(30, Math.abs(v - y) / 2);
      made.push(svg("path", { class: "edge chosen across", d: `M${x} ${y}C${x} ${y + bend} ${u} ${v - bend} ${u} ${v}` }));
    }
  }

  // The box that stands for a node: itself, or the closed group that holds it.
  _shownFor(node) {
    let shown = node;
    for (let one = node; one && one !== this.graph.root; one = one.parent) if (!this.isOpen(one.parent)) shown = one.parent;
    return FREE.has(shown.op) && !this.showsFree ? null : shown;
  }

  _listen() {
    const canvas = this.canvas;
    let drag = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.moved = true;
      const box = canvas.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(-event.deltaY / 250), event.clientX - box.left, event.clientY - box.top);
      else { this.at.x -= event.shiftKey ? event.deltaY : event.deltaX; this.at.y -= event.shiftKey ? 0 : event.deltaY; this._later(); }
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, far: false }; });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag || !event.buttons) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.far && Math.hypot(dx, dy) < 4) return;
      if (!drag.far) canvas.setPointerCapture(event.pointerId);
      this.moved = true;
      this.at.x += dx;
      this.at.y += dy;
      drag = { x: event.clientX, y: event.clientY, far: true };
      this._later();
    });
    canvas.addEventListener("click", (event) => {
      const node = event.target.closest(".node, .group")?.node;
      const was = drag;
      drag = null;
      if (was?.far) return;
      if (node?.isGroup && (event.target.closest(".fold-mark") || event.detail === 2)) this.setOpen(node, !this.isOpen(node));
      else this.select(node ?? null);
    });
    canvas.addEventListener("dblclick", (event) => {
      const node = event.target.closest(".node")?.node;
      if (node?.callee) this.options.onopen(node.callee);
    });
    canvas.addEventListener("keydown", (event) => this._key(event));
    new ResizeObserver(() => { if (this.graph && this.element.clientWidth && !this.wasSeen) { this.wasSeen = true; this.fit(); } else this._later(); }).observe(this.element);
  }

  // Arrows go to the box beside, above or below; Enter opens and closes.
  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ways = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };
    if (event.key === "Enter" && this.selected) {
      if (this.selected.isGroup) this.setOpen(this.selected, !this.isOpen(this.selected));
      else if (this.selected.callee) this.options.onopen(this.selected.callee);
    } else if (event.key === "0") this.fit();
    else if (event.key === "+") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (ways[event.key]) this._walk(...ways[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  _walk(dx, dy) {
    const from = this.selected ? this._centreOf(this.selected) : { x: -1e6 * dx, y: -1e6 * dy };
    let best = null, least = Infinity;
    for (const box of this.scene.querySelectorAll(".node, .group")) {
      if (box.node === this.selected) continue;
      const to = this._centreOf(box.node), ahead = (to.x - from.x) * dx + (to.y - from.y) * dy, aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      if (ahead > 2 && ahead + 2 * aside < least) { best = box.node; least = ahead + 2 * aside; }
    }
    if (!best) return;
    this.select(best);
    const place = this._onScreen(best);
    if (place.x < 0 || place.y < 0 || place.x > this.element.clientWidth - 60 || place.y > this.element.clientHeight - 40) this.centre(best);
  }

  _centreOf(node) {
    const { x, y } = this._origin(node);
    return { x: x + node.width / 2, y: y + Math.min(node.height, 40) / 2 };
  }

  _later() {
    if (this._waits) return;
    this._waits = true;
    requestAnimationFrame(() => { this._waits = false; this.draw(); });
  }
}

function pathOf(node) {
  const names = [];
  for (let one = node; one; one = one.parent) names.push(one.label);
  return names.join("\n");
}

function sizeOf(node) {
  return node.children.reduce((sum, child) => sum + (child.isGroup ? sizeOf(child) : child.op === "argument" ? 0 : 1), 0);
}

function dialectOf(node) {
  if (node.isFold || node.isBlock) return "none";
  const name = node.op.includes(".") ? node.op.split(".")[0] : "none";
  return ["stablehlo", "linalg", "func", "vector", "memref", "llvm", "scf", "gpu"].includes(name) ? name : "none";
}

// By the innermost group that holds both ends, the edges between what holds them in it.
function edgesByGroup(edges) {
  const found = new Map();
  for (let [a, b] of edges) {
    const up = (node) => node.parent;
    const depths = (node) => { let n = 0; for (let one = node; one; one = one.parent) n++; return n; };
    let [m, n] = [depths(a), depths(b)];
    while (m > n + 0 && m > 1 && m !== n) { a = up(a); m--; }
    while (n > m && n > 1) { b = up(b); n--; }
    if (a === b) continue;
    while (a.parent !== b.parent) { a = up(a); b = up(b); }
    if (a === b || !a.parent) continue;
    if (!found.has(a.parent)) found.set(a.parent, []);
    found.get(a.parent).push([a, b]);
  }
  return found;
}

function curve(points, ends, left, top) {
  let text = "";
  points.forEach((point, n) => {
    const x = point.x + left;
    const from = n === 0 ? ends[0].y + ends[0].height : point.y, to = n === points.length - 1 ? ends[1].y : point.y;
    if (n === 0) { text += `M${x} ${from + top}`; return; }
    const before = points[n - 1], u = before.x + left, v = (n === 1 ? ends[0].y + ends[0].height : before.y) + top, y = to + top;
    const bend = (y - v) / 2;
    text += `C${u} ${v + bend} ${x} ${y - bend} ${x} ${y}`;
  });
  return text;
}
