'use strict'

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { codedErrorFrom } = require('../../tables/errors')
const { makeFolder } = require('../../util/files')

const FOLDER = path.join(__dirname, '..', '..', '..', 'grafana', 'dashboards')
/** The package has compressed dashboards: an application installs 110 kB less. */
const PACKED = '.br'

/** Makes the folder if needed. @param {string} to folder */
function writeDashboards (to) {
  makeFolder(to)
  return fs.readdirSync(FOLDER).filter((name) => /\.json(\.br)?$/.test(name)).map((name) => {
    const bytes = fs.readFileSync(path.join(FOLDER, name))
    const file = path.join(to, path.basename(name, PACKED))
    fs.writeFileSync(file, name.endsWith(PACKED) ? zlib.brotliDecompressSync(bytes) : bytes)
    return file
  })
}

/** Writes the dashboards for the user's own Grafana. @param {string} to folder */
exports.writeDashboards = (to) => {
  try {
    return writeDashboards(to)
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', '--dashboards', to, error.message)
  }
}

/** The folder of a checkout, or a new one in `dir` with the unpacked dashboards of the package. @param {string} dir */
exports.dashboardsFolder = (dir) => {
  if (fs.existsSync(path.join(FOLDER, 'overview.json'))) return FOLDER
  const folder = path.join(dir, 'dashboards')
  writeDashboards(folder)
  return folder
}
