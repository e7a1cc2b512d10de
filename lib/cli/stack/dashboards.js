'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedErrorFrom } = require('../../tables/errors')
const { makeFolder } = require('../../util/files')

const FOLDER = path.join(__dirname, '..', '..', '..', 'grafana', 'dashboards')

/** For the user's own Grafana. @param {string} to folder, made if needed */
exports.writeDashboards = (to) => {
  try {
    makeFolder(to)
    return fs.readdirSync(FOLDER).filter((name) => name.endsWith('.json')).map((name) => {
      const file = path.join(to, name)
      fs.copyFileSync(path.join(FOLDER, name), file)
      return file
    })
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', '--dashboards', to, error.message)
  }
}

exports.FOLDER = FOLDER
