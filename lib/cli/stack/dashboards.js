'use strict'

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { codedErrorFrom } = require('../../tables/errors')
const { makeFolder } = require('../../util/files')

const FOLDER = path.join(__dirname, '..', '..', '..', 'grafana', 'dashboards')
/** In the package the dashboards are compressed: an application installs 110 kB less. */
const PACKED = '.br'

/**
 * The dashboards in a folder, which is made where it is not there.
 * @param {string} to
 * @returns {string[]} the files
 */
function writeDashboards (to) {
  makeFolder(to)
  return fs.readdirSync(FOLDER).filter((name) => /\.json(\.br)?$/.test(name)).map((name) => {
    const bytes = fs.readFileSync(path.join(FOLDER, name))
    const file = path.join(to, path.basename(name, PACKED))
    fs.writeFileSync(file, name.endsWith(PACKED) ? zlib.brotliDecompressSync(bytes) : bytes)
    return file
  })
}

/**
 * Writes the dashboards for a Grafana of the user's.
 * @param {string} to folder
 * @returns {string[]} the files
 */
exports.writeDashboards = (to) => {
  try {
    return writeDashboards(to)
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', '--dashboards', to, error.message)
  }
}

/**
 * The dashboards as Grafana reads them: those of a checkout where they are, those of the package written out.
 * @param {string} dir for what ends with `loopwatch stack`
 * @returns {string} their folder
 */
exports.dashboardsFolder = (dir) => {
  if (fs.existsSync(path.join(FOLDER, 'overview.json'))) return FOLDER
  const folder = path.join(dir, 'dashboards')
  writeDashboards(folder)
  return folder
}
