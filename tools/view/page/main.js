"use strict";
// Starts the page: views, the place in the address (#kernels/NAME), keys, light and dark.

const VIEWS = { program: Passes, kernels: Kernels, memory: Memory, profile: Profile };

let current = null;

const Place = { address: null, shown: null }; // what is shown, and the promise of its being so

function setPlace(place) {
  history.replaceState(null, "", `#${place}`);
  Place.address = location.hash;
}

async function go(name, argument = "") {
  const view = VIEWS[name] ?? Passes;
  if (view !== current) {
    current = view;
    const views = document.getElementById("views");
    view.made ??= view.make();
    if (!view.made.isConnected) views.append(view.made);
    for (const other of views.children) other.hidden = other !== view.made;
    document.querySelectorAll("#tabs button").forEach((tab) => tab.setAttribute("aria-selected", VIEWS[tab.dataset.view] === view));
  }
  await view.open(String(argument));
}

// Shows what the address names. The browser reports a change of the address some time after it: what is shown by then stays as it is.
function fromAddress() {
  if (Place.shown && location.hash === Place.address) return Place.shown;
  Place.address = location.hash;
  const [name, argument = ""] = location.hash.slice(1).split("/");
  Place.shown = go(name in VIEWS && available(name) ? name : "program", decoded(argument));
  return Place.shown;
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function available(name) { return name !== "profile" || Boolean(Data.head.profile); }

const Theme = {
  start() {
    this.button = document.getElementById("theme");
    this.button.addEventListener("click", () => this.set(this.now() === "dark" ? "light" : "dark"));
    let kept = null;
    try { kept = localStorage.getItem("hlo-view-theme"); } catch { /* pages from files may have no storage */ }
    this.set(kept === "dark" || kept === "light" ? kept : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light", false);
  },
  now() { return document.documentElement.dataset.theme; },
  set(theme, keep = true) {
    document.documentElement.dataset.theme = theme;
    this.button.textContent = theme === "dark" ? "☀" : "☾";
    if (!keep) return;
    try { localStorage.setItem("hlo-view-theme", theme); } catch { /* as above */ }
  },
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range";
  if (typing) return;
  const names = Object.keys(VIEWS).filter(available);
  if (event.key === "/") { document.getElementById("query").focus(); document.getElementById("query").select(); }
  else if (event.key === "t") Theme.button.click();
  else if (names[Number(event.key) - 1]) go(names[Number(event.key) - 1]);
  else if (event.target.type !== "range" && current?.key(event)) { /* done */ }
  else return;
  event.preventDefault();
}

async function start() {
  Theme.start();
  await Data.open();
  document.getElementById("title").textContent = Data.head.title;
  const tabs = document.getElementById("tabs");
  for (const [name, view] of Object.entries(VIEWS)) {
    if (!available(name)) continue;
    tabs.append(el("button", { type: "button", role: "tab", "data-view": name, onclick: () => go(name, name === "program" ? Passes.step : "") }, view.title));
  }
  Search.start();
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", fromAddress);
  await fromAddress();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  document.getElementById("views").replaceChildren(el("p", { class: "empty" }, `This page cannot be shown: ${error.message}`));
  throw error;
});
