"use strict";
// Colours for MLIR, assembly and Python: a line as [class, text] pieces, "" for plain text.

const SYNTAX = {
  mlir: [
    ["comment", /\/\/.*/y],
    ["string", /"(?:[^"\\]|\\.)*"/y],
    ["value", /%[\w$.-]+(?:[:#]\d+)?/y],
    ["symbol", /@(?:"(?:[^"\\]|\\.)*"|[\w$.-]+)/y],
    ["label", /\^\w+/y],
    ["type", /(?:tensor|memref|vector|complex|!llvm\.\w+)(?=<)|!?\b(?:[su]?i\d+|u?i\d+|bf16|f\d+\w*|index|token|none)\b|!llvm\.\w+/y],
    ["op", /[a-z_]\w*(?:\.[\w.]+)+|\b(?:module|return|call)\b/y],
    ["number", /-?\b\d[\d.]*(?:e[+-]?\d+)?\b(?!x)|\b0x[0-9A-Fa-f]+\b/y],
    ["word", /[A-Za-z_]\w*/y],
  ],
  asm: [
    ["comment", /(?:#|\/\/).*/y],
    ["string", /"(?:[^"\\]|\\.)*"/y],
    ["label", /^[\w.$@]+:/y],
    ["op", /^ +@?[a-z][\w.]*/y],
    ["value", /%[\w.]+/y],
    ["symbol", /\.L\w+|[a-z_][\w.]*@PLT|\$L\w+/y],
    ["number", /\$?-?\b(?:0x[0-9a-fA-F]+|\d+)\b/y],
    ["word", /[A-Za-z_.][\w.]*/y],
  ],
  python: [
    ["comment", /#.*/y],
    ["string", /[rbf]*"(?:[^"\\]|\\.)*"|[rbf]*'(?:[^'\\]|\\.)*'/y],
    ["op", /\b(?:def|class|return|if|elif|else|for|while|in|import|from|as|with|lambda|not|and|or|is|None|True|False|yield|raise|try|except|pass)\b/y],
    ["number", /\b\d[\d_.]*(?:e[+-]?\d+)?\b/y],
    ["symbol", /@[\w.]+/y],
    ["word", /[A-Za-z_]\w*/y],
  ],
};

const MOST_LETTERS = 4000; // of a line that is coloured

function pieces(text, language) {
  const rules = SYNTAX[language];
  if (!rules || text.length > MOST_LETTERS) return [["", text]];
  const found = [];
  let at = 0, plain = 0;
  const flush = () => { if (at > plain) found.push(["", text.slice(plain, at)]); };
  while (at < text.length) {
    const rule = rules.find(([, pattern]) => { pattern.lastIndex = at; return pattern.test(text); });
    if (!rule) { at++; continue; }
    const end = rule[1].lastIndex;
    if (rule[0] !== "word") {
      flush();
      found.push([rule[0], text.slice(at, end)]);
      plain = end;
    }
    at = end;
  }
  flush();
  return found;
}

// The pieces as elements; letters from mark[0] to mark[1] stand out.
function coloured(text, language, mark = null) {
  const nodes = [];
  let at = 0;
  for (const [kind, part] of pieces(text, language)) {
    for (const [piece, marked] of cut(part, at, mark)) {
      nodes.push(kind || marked ? el("span", { class: [kind && `s-${kind}`, marked && "marked"].filter(Boolean).join(" ") }, piece) : piece);
    }
    at += part.length;
  }
  return nodes;
}

function cut(part, at, mark) {
  if (!mark || at + part.length <= mark[0] || at >= mark[1]) return [[part, false]];
  const start = Math.max(mark[0] - at, 0), end = Math.min(mark[1] - at, part.length);
  return [[part.slice(0, start), false], [part.slice(start, end), true], [part.slice(end), false]].filter(([text]) => text);
}

function languageOf(step) {
  return step.phase === "code" ? "asm" : "mlir";
}
