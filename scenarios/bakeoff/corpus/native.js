'use strict'

// Further single calls that hold the loop in native code, and what starting others costs. `here:` as in blocks.js.
const { spawn, spawnSync } = require('node:child_process')
const { scryptSync } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Worker } = require('node:worker_threads')

const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 }
const records = Array.from({ length: 250000 }, (_, i) => ({ id: i, name: `name ${i}`, tags: ['x', 'y'], price: i / 7 }))
/** Others of the same kind: what occurs twice in a value is cloned once. */
const copies = records.map((each) => ({ ...each, tags: [...each.tags] }))
const words = Array.from({ length: 500000 }, (_, i) => `${i * 7919 % 1000003}`)

exports.blocks = {
  jsonStringify () {
    // Node.js 26 is three times as fast.
    return JSON.stringify([records, records, records]) // here: jsonStringify
  },
  sortPlain () {
    return words.toSorted().filter((word) => word.length > 3) // here: sortPlain
  },
  clone () {
    // Its last act: who looks after it finds the caller.
    return structuredClone([records, copies.slice(0, 50000)]) // here: clone
  },
  scrypt () {
    return scryptSync('secret', 'salt', 64, SCRYPT) // here: scrypt
  },
  spawnAndWait (/** @type {number} */ ms) {
    return spawnSync('sleep', [`${ms / 1000}`]).stdout.toString() // here: spawnAndWait
  },
  smallFiles (/** @type {number} */ ms) {
    const file = path.join(os.tmpdir(), `loopwatch-bakeoff-${process.pid}`)
    const end = performance.now() + ms
    while (performance.now() < end) {
      fs.writeFileSync(file, 'a few bytes') // here: smallFiles
      fs.readFileSync(file) // here: smallFiles
    }
    fs.unlinkSync(file)
  },
  loadModules (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) {
      for (const file of Object.keys(require.cache)) if (/[\\/]node_modules[\\/]yaml[\\/]/.test(file)) delete require.cache[file]
      require('yaml') // here: loadModules
    }
  },
  startProcesses (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) spawn('true', { stdio: 'ignore' }) // here: startProcesses
  },
  startWorker () {
    const worker = new Worker('', { eval: true, workerData: [records, copies] }) // here: startWorker
    worker.unref()
  }
}
