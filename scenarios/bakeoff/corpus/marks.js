'use strict'

const fs = require('node:fs')
const path = require('node:path')

/** The application whose code is to be blamed, by paths from here: the files next to it are the contest. */
const FILES = [
  'at-top-level.js', 'blocks.js', 'everyday.js', 'in-memory.ts', 'libraries.js', 'native.js', 'places.js',
  'fresh/bytes.js', 'fresh/data.js', 'fresh/documents.js', 'fresh/generated.js', 'fresh/near-limit.js',
  'fresh/turns.js',
  'shapes/limiters.js', 'shapes/made-code.js', 'shapes/native-code.js', 'shapes/passing.js', 'shapes/same-turn.js',
  'shapes/tariffs.ts'
]

/**
 * The lines that truly block, by name: those that end in `// here: name name`.
 * @param {string} source
 * @returns {Record<string, number[]>}
 */
function linesOf (source) {
  /** @type {Record<string, number[]>} */
  const lines = {}
  source.split('\n').forEach((text, i) => {
    for (const name of /\/\/ here: (.+)$/.exec(text)?.[1].split(' ') ?? []) (lines[name] ??= []).push(i + 1)
  })
  return lines
}

/** `file:line` of each line, by name. @type {Record<string, string[]>} */
exports.marks = {}
for (const file of FILES) {
  for (const [name, lines] of Object.entries(linesOf(fs.readFileSync(path.join(__dirname, file), 'utf8')))) {
    exports.marks[name] = lines.map((line) => `${path.basename(file)}:${line}`)
  }
}

/** @param {string} file absolute */
exports.isOfApplication = (file) => FILES.includes(path.relative(__dirname, file))
exports.FILES = FILES
exports.linesOf = linesOf
