// Compiles a Kaitai Struct description, JSON on standard input, to Python.
//   node compile.js MODULES FOLDER    MODULES: the node_modules with kaitai-struct-compiler
"use strict";
const fs = require("fs");
const path = require("path");

const [modules, folder] = process.argv.slice(2);
const Compiler = require(path.resolve(modules, "kaitai-struct-compiler"));

function write(files) {
  for (const name of Object.keys(files)) {
    fs.writeFileSync(path.join(folder, name), files[name]);
  }
}

function fail(error) {
  console.error(String(error));
  process.exitCode = 1;
}

new Compiler()
  .compile("python", JSON.parse(fs.readFileSync(0, "utf8")), null, false)
  .then(write)
  .catch(fail);
