"use strict";
// A text as a graph: ops are nodes, functions, regions and blocks are groups of them, and an edge goes from the op that makes a value (or
// the block that jumps) to the op that reads it. The text of each step is all that is needed, so every pass has its graph.

const FREE = new Set(["constant", "stablehlo.constant", "arith.constant", "llvm.mlir.constant", "tensor.empty", "linalg.fill", "llvm.mlir.poison", "llvm.mlir.undef", "llvm.mlir.zero", "memref.view", "argument"]);
// Ops that are hidden unless inputs and constants are shown.

class Node {
  constructor(parent, line, op, label) {
    Object.assign(this, { parent, line, end: line, op, label, type: "", uses: [], children: [], callee: null, values: null, isRegion: false });
    this.depth = parent ? parent.depth + 1 : 0;
    parent?.children.push(this);
  }

  get isGroup() { return this.children.length > 0; }
}

// The tree of a text's nodes. `edges` are [from, to] pairs of nodes without children, or of blocks.
function graphOf(text, language) {
  const root = new Node(null, -1, "module", "program");
  const edges = language === "asm" ? assemblyGraph(text, root) : mlirGraph(text, root);
  root.end = text.length - 1;
  nameGenerics(root);
  return { root, edges };
}

// A generic op is called what it computes.
function nameGenerics(node) {
  for (const child of node.children) {
    if (child.op === "linalg.generic") {
      const inside = child.children.map((op) => op.label).filter((label) => label !== "yield");
      if (inside.length) child.label = inside.length > 3 ? `${inside.slice(0, 3).join(" ")} …` : inside.join(" ");
    } else nameGenerics(child);
  }
}

function mlirGraph(text, root) {
  const edges = [], open = [root];
  let last = null;
  root.values = new Map();
  for (let line = 0; line < text.length; line++) {
    const trimmed = text[line].trim();
    if (!trimmed || trimmed[0] === "#" || trimmed[0] === "!" || trimmed.startsWith("//")) continue;
    const bare = trimmed.includes('"') ? trimmed.replace(/"(?:[^"\\]|\\.)*"/g, '""') : trimmed;
    const opens = bare.endsWith("{");
    let top = open[open.length - 1];
    if (bare[0] === "^") {
      last = null;
      openBlock(open, bare, line);
      continue;
    }
    if (bare[0] === "}") {
      last = closeRegion(open, line);
      if (opens) openRegion(open, last, bare, line);
      continue;
    }
    if (last && opens && /^(?:reducer\(|cond \{|do \{)/.test(bare)) {
      openRegion(open, last, bare, line);
      continue;
    }
    if (bare.startsWith("module") && top === root) { open.push(root); continue; }
    top = open[open.length - 1];
    last = newOp(top, trimmed, bare, line, open, edges);
    if (opens) openRegion(open, last, bare, line);
  }
  return edges;
}

function newOp(parent, trimmed, bare, line, open, edges) {
  const results = /^((?:%[\w$.-]+(?::\d+)?(?:, )?)+) = /.exec(bare);
  const body = results ? bare.slice(results[0].length) : bare;
  const op = results || trimmed[0] !== '"' ? (trimmed.slice(results ? results[0].length : 0).match(/^"?([\w.]+)/)?.[1] ?? "") : trimmed.match(/^"([\w.]+)/)?.[1] ?? "";
  const node = new Node(parent, line, op, op.replace(/^(?:stablehlo|linalg|arith|math|tensor|memref|vector|llvm|scf|func|chlo|nvvm|gpu)\.(?:intr\.|mlir\.)?/, ""));
  const symbol = /@("(?:[^"\\]|\\.)*"|[\w$.-]+)/.exec(trimmed);
  if (/(?:^|\.)func$/.test(op) && symbol) {
    node.label = symbol[1].replace(/^"|"$/g, "");
    node.values = new Map();
    addArguments(node, bare, line);
    return node;
  }
  if (symbol && /call$|launch_func$/.test(op)) {
    node.callee = symbol[1].replace(/^"|"$/g, "");
    if (op === "gpu.launch_func") node.callee = /@[\w$.-]+::@([\w$.-]+)/.exec(trimmed)?.[1] ?? node.callee;
    node.label = node.callee;
  }
  node.type = resultType(body);
  const own = new Set([...body.matchAll(/(%[\w$.-]+) = /g)].map((found) => found[1]));
  for (const [value] of body.matchAll(/%[\w$.-]+/g)) {
    const maker = own.has(value) ? null : lookUp(open, value);
    if (!maker || maker === node) continue;
    edges.push([maker, node]);
    if (maker.op !== "memref.view") continue; // who writes memory comes in front of who reads it
    if (maker.lastUser) edges.push([maker.lastUser, node]);
    maker.lastUser = node;
  }
  for (const [, block] of body.matchAll(/(\^\w+)/g)) node.uses.push(block);
  const values = scopeOf(open);
  for (const [name] of results ? results[1].matchAll(/%[\w$.-]+/g) : []) values.set(name, node);
  node.regionValues = own;
  return node;
}

function addArguments(node, bare, line) {
  const header = bare.slice(bare.indexOf("("));
  for (const [, name, type] of header.matchAll(/(%[\w$.-]+): ([^,{)]+)/g)) {
    const argument = new Node(node, line, "argument", name);
    argument.type = shortType(type);
    node.values.set(name, argument);
  }
}

function openRegion(open, op, bare, line) {
  op.values ??= new Map();
  for (const name of op.regionValues ?? []) op.values.set(name, op);
  for (const [, name] of bare[0] === "}" || bare.startsWith("reducer(") ? bare.matchAll(/(%[\w$.-]+):/g) : []) op.values.set(name, op);
  open.push(op);
}

function closeRegion(open, line) {
  let node = open[open.length - 1];
  while (node.isBlock) { node.end = line - 1; open.pop(); node = open[open.length - 1]; }
  node.end = line;
  if (open.length > 1) open.pop();
  return node;
}

// A label: arguments of a region are values of its op; further blocks are groups.
function openBlock(open, bare, line) {
  let top = open[open.length - 1];
  if (top.isBlock) { top.end = line - 1; open.pop(); top = open[open.length - 1]; }
  const label = /^\^\w+/.exec(bare)[0];
  const names = [...bare.matchAll(/(%[\w$.-]+):/g)].map((found) => found[1]);
  top.values ??= new Map();
  const flows = /^(?:llvm|gpu|func)\.func$/.test(top.op);
  const maker = flows ? new Node(top, line, "block", label) : top;
  for (const name of names) top.values.set(name, maker);
  if (!flows) return;
  maker.isBlock = true;
  maker.values = null;
  open.push(maker);
}

function scopeOf(open) {
  for (let n = open.length - 1; n >= 0; n--) if (open[n].values) return open[n].values;
  return open[0].values;
}

function lookUp(open, value) {
  for (let n = open.length - 1; n >= 0; n--) {
    const found = open[n].values?.get(value);
    if (found) return found;
  }
  return null;
}

function resultType(body) {
  const found = body.match(/(?:-> |to |: )(\(?[^:]*?)(?: \{|\)? \(\{)?$/);
  const types = (found ? found[1] : body).match(/(?:tensor|memref|vector)<[^<>]*(?:<[^<>]*>)?[^<>]*>|\b(?:[su]?i\d+|bf16|f\d+\w*|index)\b|!llvm\.ptr/g);
  return types ? shortType(types[types.length - 1]) : "";
}

function shortType(type) {
  return type.trim().replace(/^(?:tensor|memref|vector)<(.*)>$/, "$1").replace(/,.*/, "").replace(/!llvm\./, "");
}

// Blocks of instructions; edges are jumps, and falling through.
function assemblyGraph(text, root) {
  const edges = [];
  for (const [name, [start, end]] of functionsOf(text)) {
    const group = new Node(root, start, "function", name);
    group.end = end - 1;
    const blocks = new Map();
    let block = null, falls = false;
    for (let line = start + 1; line < end; line++) {
      const label = /^(\.LBB\w+|\$L\w+):/.exec(text[line]) ?? /^# (%bb\.\d+):/.exec(text[line]);
      if (label || !block) {
        const next = new Node(group, line, "block", label ? label[1] : "entry");
        next.isBlock = true;
        if (block && falls) edges.push([block, next]);
        blocks.set(next.label, next);
        block = next;
        falls = true;
      }
      block.end = line;
      const jump = /^\s+(?:@!?%p\d+ )?(j\w+|bra\S*|ret\w*)\s*(\S*)/.exec(text[line]);
      if (!jump) continue;
      block.uses.push(jump[2].replace(/;$/, ""));
      falls = !/^(?:jmp|bra|ret)/.test(jump[1]) || /^\s+@/.test(text[line]);
    }
    for (const one of blocks.values()) {
      one.type = counted(one.end - one.line + 1, "line");
      for (const label of one.uses) if (blocks.has(label)) edges.push([one, blocks.get(label)]);
    }
  }
  return edges;
}

// Jumps between the blocks of functions, once all blocks are known.
function addJumps(graph) {
  const visit = (node) => {
    const blocks = new Map(node.children.filter((child) => child.isBlock).map((child) => [child.label, child]));
    if (blocks.size && graph.language !== "asm") {
      for (const child of node.children) {
        for (const op of child.isBlock ? child.children : [child]) {
          for (const label of op.uses) if (blocks.has(label)) graph.edges.push([child.isBlock ? child : op, blocks.get(label)]);
        }
      }
    }
    node.children.forEach(visit);
  };
  visit(graph.root);
}

// Long lists fold: by the name stacks of their ops, then by stretches that repeat (layers), then by length.

const MOST_CHILDREN = 120;

function folded(graph, nameOf) {
  const visit = (node) => {
    for (const child of [...node.children]) visit(child);
    if (shownSize(node) > MOST_CHILDREN || node.op === "func.func") byNames(node, nameOf, 0);
    if (shownSize(node) > MOST_CHILDREN) byRepeats(node);
    if (shownSize(node) > MOST_CHILDREN) byLength(node);
  };
  visit(graph.root);
}

function shownSize(node) {
  return node.children.reduce((count, child) => count + !FREE.has(child.op), 0);
}

function group(parent, members, label) {
  const made = new Node(null, members[0].line, "group", label);
  made.parent = parent;
  made.depth = parent.depth + 1;
  made.end = Math.max(...members.map((member) => member.end));
  made.children = members;
  made.isFold = true;
  members.forEach((member) => { member.parent = made; });
  return made;
}

// The children as [label or null, members] become groups where there is a label.
function regroup(node, parts) {
  node.children = parts.flatMap(([label, members]) => (label === null || members.length < 2 ? members : [group(node, members, label)]));
}

function byNames(node, nameOf, depth) {
  const parts = new Map();
  for (const child of node.children) {
    const name = nameOf(child)[depth];
    if (!parts.has(name)) parts.set(name, []);
    parts.get(name).push(child);
  }
  const named = [...parts.keys()].filter((name) => name !== undefined);
  if (named.length === 0 || (named.length === 1 && parts.size === 1 && depth > 6)) return;
  if (runs(node.children, nameOf, depth) > 2 * parts.size) return; // names that come back and back, as in layers without names
  if (parts.size === 1) { byNames(node, nameOf, depth + 1); return; }
  regroup(node, [...parts].map(([name, members]) => [name === undefined || members.length < 3 ? null : name, members]));
  for (const child of node.children) {
    if (child.isFold) byNames(child, nameOf, depth + 1);
    if (child.isFold && child.children.length > MOST_CHILDREN) { byRepeats(child); }
    if (child.isFold && child.children.length > MOST_CHILDREN) { byLength(child); }
  }
}

function runs(children, nameOf, depth) {
  let count = 0, last = null;
  for (const child of children) {
    const name = nameOf(child)[depth];
    if (name !== last) count++;
    last = name;
  }
  return count;
}

function byRepeats(node) {
  const list = node.children.filter((child) => child.op !== "argument");
  if (list.length > 20000) return;
  const keys = list.map((child) => `${child.op} ${child.callee ?? ""} ${child.type}`);
  const numbers = new Map();
  const codes = Int32Array.from(keys, (key) => numbers.get(key) ?? (numbers.set(key, numbers.size), numbers.size - 1));
  const parts = [], others = node.children.filter((child) => child.op === "argument");
  const rest = (start, end) => parts.push([null, chunks(node, list.slice(start, end), start)]);
  const split = (start, end) => {
    const found = longestRepeat(codes, start, end);
    if (!found) { rest(start, end); return; }
    split(start, found.start);
    const layers = [];
    for (let n = 0; n < found.count; n++) {
      const members = list.slice(found.start + n * found.period, found.start + (n + 1) * found.period);
      layers.push(group(node, members, `repeat ${n + 1} of ${found.count}`));
    }
    parts.push([null, layers]);
    split(found.start + found.count * found.period, end);
  };
  split(0, list.length);
  if (parts.length === 1) return; // nothing repeats
  node.children = [...others, ...parts.flatMap(([, members]) => members)];
  for (const child of node.children) if (child.isFold && child.children.length > MOST_CHILDREN) byLength(child);
}

// The stretch, of at least 4 ops, whose repeats (3 or more) cover most.
function longestRepeat(codes, start, end) {
  let best = null;
  for (let period = 4; period <= (end - start) / 3; period++) {
    let same = 0;
    for (let n = start; n + period <= end; n++) {
      if (n + period < end && codes[n] === codes[n + period]) { same++; continue; }
      const count = Math.floor(same / period) + 1;
      const covers = count * period;
      if (count >= 3 && covers > (best?.covers ?? 0) && distinct(codes, n - same, period) > 2) best = { start: n - same, period, count, covers };
      same = 0;
    }
  }
  return best && best.covers >= 24 ? best : null;
}

function distinct(codes, start, length) {
  return new Set(codes.subarray(start, start + length)).size;
}

function byLength(node) {
  const first = node.children.filter((child) => child.op === "argument");
  const list = node.children.filter((child) => child.op !== "argument");
  node.children = [...(first.length > 12 ? [group(node, first, "arguments")] : first), ...(list.length > MOST_CHILDREN ? chunks(node, list, 0) : list)];
  if (first.length > 12) node.children[0].op = "argument";
}

const CHUNK = 30;

// A list in groups, if it is long; `start`: the number of its first op in the whole.
function chunks(node, list, start) {
  if (list.length <= CHUNK) return list;
  const size = Math.max(CHUNK, Math.ceil(Math.sqrt(list.length)));
  const made = [];
  for (let n = 0; n < list.length; n += size) {
    const members = list.slice(n, n + size);
    made.push(members.length > 1 ? group(node, members, `ops ${start + n + 1}–${start + n + members.length}`) : members[0]);
  }
  return made;
}
