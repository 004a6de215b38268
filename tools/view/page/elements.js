"use strict";
// Elements of the page. Whatever comes from a program is set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A group of buttons of which one is pressed. choices: [[value, label]].
function segmented(label, choices, chosen, onchange) {
  const group = el("div", { class: "segmented", role: "group", "aria-label": label });
  const press = (value) => group.childNodes.forEach((b) => b.setAttribute("aria-pressed", b.dataset.value === value));
  for (const [value, text] of choices) {
    group.append(el("button", { type: "button", "data-value": value, onclick: () => { press(value); onchange(value); } }, text));
  }
  press(chosen);
  group.press = press;
  return group;
}

function toggle(text, pressed, onchange, title = null) {
  const button = el("button", { type: "button", class: "toggle", "aria-pressed": pressed, title }, text);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", now);
    onchange(now);
  });
  return button;
}

const Tip = {
  // Shows lines of text beside the pointer; the first is a title.
  show(event, lines) {
    const tip = document.getElementById("tip");
    tip.replaceChildren(...lines.filter(Boolean).map((line, n) => el("div", { class: n ? "" : "tip-title" }, line)));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - height - 8))}px`;
  },
  hide() { document.getElementById("tip").hidden = true; },
};

function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let n = 0;
  while (count >= 1024 && n < units.length - 1) { count /= 1024; n++; }
  return `${count >= 100 || n === 0 ? Math.round(count) : Number(count.toPrecision(3))} ${units[n]}`;
}

function duration(seconds) {
  if (seconds >= 1) return `${Number(seconds.toPrecision(3))} s`;
  if (seconds >= 1e-3) return `${Number((seconds * 1e3).toPrecision(3))} ms`;
  return `${Number((seconds * 1e6).toPrecision(3))} µs`;
}

function counted(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
