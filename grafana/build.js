'use strict'

// `npm run grafana` writes dashboards/*.json from src/; `node grafana/build.js --check` writes nothing
// and fails where a file is not what src/ makes.
const fs = require('node:fs')
const path = require('node:path')

const DIR = path.join(__dirname, 'dashboards')

/** Text of each file by name. */
exports.render = () => new Map(['overview', 'blocks', 'cluster', 'scenarios'].map((name) =>
  [`${name}.json`, `${JSON.stringify(require(`./src/${name}`).build(), null, 2)}\n`]))

/** Files of the folder that differ, are missing, or should not be there. @param {Map<string, string>} files */
exports.differences = (files) => {
  const present = fs.readdirSync(DIR).filter((file) => file.endsWith('.json'))
  return [...new Set([...present, ...files.keys()])].filter((file) =>
    !present.includes(file) || fs.readFileSync(path.join(DIR, file), 'utf8') !== files.get(file))
}

if (require.main === module) {
  const files = exports.render()
  if (process.argv.includes('--check')) {
    const different = exports.differences(files)
    if (different.length > 0) {
      process.stderr.write(`not what grafana/src makes: ${different.join(', ')}; run npm run grafana\n`)
      process.exitCode = 1
    }
  } else {
    for (const [file, text] of files) fs.writeFileSync(path.join(DIR, file), text)
  }
}
