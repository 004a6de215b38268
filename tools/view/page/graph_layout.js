"use strict";
// A layered layout: every op below what it reads. Long edges pass through points of their own, so that they go around boxes.

const GAP = { x: 18, y: 34, box: 14, head: 24 };

// Lays boxes out, in place (x, y from the upper left corner); returns {width, height, paths} with a list of points for each edge.
// boxes: [{width, height}], in the order of the text. edges: [[from, to]] as numbers of boxes.
function layered(boxes, edges) {
  const links = uniqueEdges(edges);
  const ranks = ranksOf(boxes.length, links);
  const connected = new Set(links.flat());
  const alone = boxes.filter((_, n) => !connected.has(n));
  const items = boxes.map((box, n) => ({ box, rank: ranks[n], width: box.width, height: box.height, up: [], down: [], number: n }));
  const chains = links.map(([from, to]) => chain(items, from, to));
  const rows = rowsOf(items.filter((item) => item.number === undefined || connected.has(item.number)));
  for (let sweep = 0; sweep < 6; sweep++) order(rows, sweep % 2 === 0);
  place(rows);
  const size = extent(rows);
  placeAlone(alone, size);
  const paths = chains.map((points) => points.map((item) => ({ x: item.x, y: item.y, height: item.height })));
  return { ...size, paths, links };
}

// Edges that go back in the text (loops) are drawn the other way round.
function uniqueEdges(edges) {
  const seen = new Map();
  for (const [a, b] of edges) {
    if (a !== b) seen.set(`${Math.min(a, b)} ${Math.max(a, b)}`, [Math.min(a, b), Math.max(a, b)]);
  }
  return [...seen.values()];
}

function ranksOf(count, links) {
  const ranks = new Int32Array(count), least = new Int32Array(count).fill(1 << 30), reads = new Set();
  for (const [from, to] of [...links].sort((a, b) => a[0] - b[0])) {
    ranks[to] = Math.max(ranks[to], ranks[from] + 1);
    reads.add(to);
  }
  for (const [from, to] of links) least[from] = Math.min(least[from], ranks[to] - 1);
  for (let n = 0; n < count; n++) if (!reads.has(n) && least[n] < 1 << 30) ranks[n] = least[n]; // sources: beside their first reader
  return ranks;
}

const MOST_POINTS = 40; // of a long edge

function chain(items, from, to) {
  const points = [items[from]];
  const [start, end] = [items[from].rank, items[to].rank];
  if (end - start <= MOST_POINTS) {
    for (let rank = start + 1; rank < end; rank++) {
      const point = { rank, width: 6, height: 0, up: [], down: [] };
      items.push(point);
      points.push(point);
    }
  }
  points.push(items[to]);
  for (let n = 1; n < points.length; n++) {
    points[n - 1].down.push(points[n]);
    points[n].up.push(points[n - 1]);
  }
  return points;
}

function rowsOf(items) {
  const rows = [];
  for (const item of items) (rows[item.rank] ??= []).push(item);
  const filled = rows.filter(Boolean);
  filled.forEach((row) => row.forEach((item, n) => { item.at = n; }));
  return filled;
}

// Items move to the mean place of those they are linked to, in the row before (downwards) or behind.
function order(rows, down) {
  for (const row of down ? rows : [...rows].reverse()) {
    for (const item of row) {
      const near = down ? item.up : item.down;
      item.wanted = near.length ? near.reduce((sum, other) => sum + other.at / 1, 0) / near.length : item.at;
    }
    row.sort((a, b) => a.wanted - b.wanted);
    row.forEach((item, n) => { item.at = n; });
  }
}

function place(rows) {
  let y = 0;
  for (const row of rows) {
    const height = Math.max(...row.map((item) => item.height));
    let x = 0;
    for (const item of row) {
      item.x = x + item.width / 2;
      item.y = y + height / 2;
      x += item.width + GAP.x;
    }
    y += height + GAP.y;
  }
  for (let sweep = 0; sweep < 8; sweep++) {
    for (const row of sweep % 2 ? [...rows].reverse() : rows) pull(row, sweep % 2 ? "down" : "up");
  }
}

// Each item towards the middle of its neighbours, as far as those of its row leave room.
function pull(row, side) {
  const wanted = row.map((item) => {
    const near = item[side].length ? item[side] : item[side === "up" ? "down" : "up"];
    return near.length ? near.reduce((sum, other) => sum + other.x, 0) / near.length : item.x;
  });
  const apart = (n) => (row[n].width + row[n + 1].width) / 2 + GAP.x;
  const left = [...wanted], right = [...wanted];
  for (let n = 1; n < row.length; n++) left[n] = Math.max(left[n], left[n - 1] + apart(n - 1));
  for (let n = row.length - 2; n >= 0; n--) right[n] = Math.min(right[n], right[n + 1] - apart(n));
  row.forEach((item, n) => { item.x = (left[n] + right[n]) / 2; });
}

function extent(rows) {
  const all = rows.flat();
  if (!all.length) return { width: 0, height: 0 };
  const least = Math.min(...all.map((item) => item.x - item.width / 2));
  for (const item of all) {
    item.x -= least;
    if (item.box) Object.assign(item.box, { x: item.x - item.width / 2, y: item.y - item.height / 2 });
  }
  return {
    width: Math.max(...all.map((item) => item.x + item.width / 2)),
    height: Math.max(...all.map((item) => item.y + item.height / 2)),
  };
}

// What has no edges stands below, in lines about as wide as the rest, or as a square.
function placeAlone(alone, size) {
  if (!alone.length) return;
  const area = alone.reduce((sum, box) => sum + (box.width + GAP.x) * (box.height + GAP.x), 0);
  const most = Math.max(size.width, Math.sqrt(area * 2.2), ...alone.map((box) => box.width));
  let x = 0, y = size.height ? size.height + GAP.y : 0, tallest = 0;
  for (const box of alone) {
    if (x && x + box.width > most) {
      x = 0;
      y += tallest + GAP.x;
      tallest = 0;
    }
    Object.assign(box, { x, y });
    x += box.width + GAP.x;
    tallest = Math.max(tallest, box.height);
    size.width = Math.max(size.width, x - GAP.x);
  }
  size.height = y + tallest;
}

// Lays out a node's visible children, inner groups first; every node gets x, y (in its parent), width and height, every group its paths.
function layoutGroup(node, view) {
  const children = view.visible(node);
  for (const child of children) {
    if (view.isOpen(child)) layoutGroup(child, view);
    else Object.assign(child, view.sizeOf(child));
  }
  const numbers = new Map(children.map((child, n) => [child, n]));
  const edges = (view.edgesIn.get(node) ?? []).filter(([a, b]) => numbers.has(a) && numbers.has(b)).map(([a, b]) => [numbers.get(a), numbers.get(b)]);
  const made = layered(children, edges);
  for (const child of children) {
    child.x += GAP.box;
    child.y += GAP.head + GAP.box;
  }
  node.shown = children;
  node.paths = made.paths.map((points, n) => ({
    points: points.map((p) => ({ x: p.x + GAP.box, y: p.y + GAP.head + GAP.box, height: p.height })),
    ends: made.links[n].map((number) => children[number]),
  }));
  node.width = Math.max(made.width, view.headWidth(node)) + 2 * GAP.box;
  node.height = made.height + GAP.head + 2 * GAP.box;
}
