'use strict'

// `npm run grafana` writes dashboards/*.json and scenarios/*.json from src/; `node grafana/build.js --check` writes
// nothing, and fails if a file differs from the output of src/.
const fs = require('node:fs')
const path = require('node:path')

/** The folder that is imported by default, and the one of benchmarks. */
const FOLDERS = { dashboards: ['overview', 'blocks', 'cluster'], scenarios: ['scenarios'] }

/**
 * One line for each panel. Changes are as easy to see as with a line for each brace, in two thirds of the bytes.
 * @param {any} dashboard
 */
function print (dashboard) {
  const lines = Object.entries(dashboard).map(([key, value]) => `${JSON.stringify(key)}: ${key === 'panels'
    ? `[\n${value.map((/** @type {any} */ panel) => JSON.stringify(panel)).join(',\n')}\n]`
    : JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

/** Text of each file by its path in this folder. */
exports.render = () => new Map(Object.entries(FOLDERS).flatMap(([folder, names]) => names.map((name) =>
  [path.join(folder, `${name}.json`), print(require(`./src/${name}`).build())])))

/** Files of the folders that differ, are missing, or should not be there. @param {Map<string, string>} files */
exports.differences = (files) => {
  const present = Object.keys(FOLDERS).flatMap((folder) => fs.readdirSync(path.join(__dirname, folder))
    .filter((file) => file.endsWith('.json')).map((file) => path.join(folder, file)))
  return [...new Set([...present, ...files.keys()])].filter((file) =>
    !present.includes(file) || fs.readFileSync(path.join(__dirname, file), 'utf8') !== files.get(file))
}

if (require.main === module) {
  const files = exports.render()
  if (process.argv.includes('--check')) {
    const different = exports.differences(files)
    if (different.length > 0) {
      process.stderr.write(`differ from what grafana/src generates: ${different.join(', ')}; run npm run grafana\n`)
      process.exitCode = 1
    }
  } else {
    for (const [file, text] of files) fs.writeFileSync(path.join(__dirname, file), text)
  }
}
