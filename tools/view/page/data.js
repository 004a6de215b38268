"use strict";
// The page's data: a head that is read at once, and chunks of steps that are unpacked when they are looked at.

const STEPS_OF_CHUNK = 8;

const Data = {
  head: null,
  links: null,
  _chunks: new Map(),
  _steps: [],

  async open() {
    [this.head, this.links] = await Promise.all([this._unpack("head"), this._unpack(0)]);
    this.opsOfLine = this.links.ops.map((ops) => new Set(ops));
  },

  // The text after a step: {text: [line], sets: [number of a line's set of ops], edits}.
  async step(number) {
    for (let n = this._steps.length; n <= number; n++) {
      const edits = (await this._chunk(1 + Math.floor(n / STEPS_OF_CHUNK)))[n % STEPS_OF_CHUNK];
      if (this._steps.length === n) this._steps.push(applied(edits, n ? this._steps[n - 1] : EMPTY));
    }
    return this._steps[number];
  },

  _chunk(name) {
    if (!this._chunks.has(name)) this._chunks.set(name, this._unpack(name));
    return this._chunks.get(name);
  },

  async _unpack(name) {
    const packed = Uint8Array.from(atob(document.getElementById(`data-${name}`).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  },
};

const EMPTY = { text: [], sets: [], edits: [] };

function applied(edits, before) {
  const text = [], sets = [];
  let at = 0;
  for (const edit of edits) {
    if (typeof edit === "string") {
      const blank = edit.indexOf(" ");
      sets.push(parseInt(edit.slice(0, blank), 36));
      text.push(edit.slice(blank + 1));
    } else if (edit < 0) {
      at -= edit;
    } else {
      for (const end = at + edit; at < end; at++) {
        text.push(before.text[at]);
        sets.push(before.sets[at]);
      }
    }
  }
  return { text, sets, edits };
}

// What a step did: rows {sign: " " | "-" | "+", text, set, line} with the step's own line numbers (of "-": none).
function changes(step, before) {
  const rows = [];
  let at = 0, line = 0, hunk = [[], []];
  const flush = () => {
    rows.push(...paired(...hunk));
    hunk = [[], []];
  };
  for (const edit of step.edits) {
    if (typeof edit === "string") {
      hunk[1].push({ sign: "+", text: step.text[line], set: step.sets[line], line: line++ });
    } else if (edit < 0) {
      for (const end = at - edit; at < end; at++) hunk[0].push({ sign: "-", text: before.text[at], set: before.sets[at], line: -1 });
    } else {
      flush();
      at += edit;
      for (const end = line + edit; line < end; line++) rows.push({ sign: " ", text: step.text[line], set: step.sets[line], line });
    }
  }
  flush();
  return rows;
}

// Lines that only changed the ops they belong to are no changes; of lines that changed one by one, `mark` is the part that did.
function paired(dropped, added) {
  if (dropped.length !== added.length) return [...dropped, ...added];
  if (dropped.every((row, n) => row.text === added[n].text)) return added.map((row) => ({ ...row, sign: " " }));
  dropped.forEach((row, n) => {
    const [a, b] = [row.text, added[n].text];
    let start = 0, end = 0;
    const most = Math.min(a.length, b.length);
    while (start < most && a[start] === b[start]) start++;
    while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
    if (start + end < most / 4) return;
    row.mark = [start, a.length - end];
    added[n].mark = [start, b.length - end];
  });
  return [...dropped, ...added];
}

// The functions of a text: Map from name to [first line, line behind the last].
function functionsOf(text) {
  const found = new Map();
  let open = null;
  for (let n = 0; n < text.length; n++) {
    const line = text[n];
    if (!open) {
      const head = HEADER.exec(line);
      if (!head) continue;
      const name = (head[2] ?? head[3] ?? head[4]).replace(/^"|"$/g, "");
      if (head[1] !== undefined && !line.endsWith("{")) continue; // a declaration
      open = { name, start: n, end: head[1] !== undefined ? `${head[1]}}` : head[3] !== undefined ? "}" : null };
    } else if (open.end === null ? line.includes("# -- End function") : line === open.end) {
      found.set(open.name, [open.start, n + 1]);
      open = null;
    }
  }
  if (open) found.set(open.name, [open.start, text.length]);
  return found;
}

const HEADER = /^(?:(\s*)(?:func|llvm|gpu)\.func .*?@("[^"]*"|[\w.$-]+)\(|(?:\.visible )?\.(?:entry|func)(?: *\(.*?\))? ([\w.$]+)\(|(?!\.L)([\w.$@]+|"[^"]*"):)/;
