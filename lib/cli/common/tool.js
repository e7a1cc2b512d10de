'use strict'

const fs = require('node:fs')
const path = require('node:path')

/** The first executable on the PATH. @param {string[]} names @param {NodeJS.ProcessEnv} [env] */
exports.findTool = (names, env = process.env) => {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean)
  for (const name of names) {
    for (const folder of folders) {
      const file = path.join(folder, process.platform === 'win32' ? `${name}.exe` : name)
      if (isExecutable(file)) return file
    }
  }
  return null
}

/** @param {string} file */
function isExecutable (file) {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** How long a program may take until it listens. */
const READY_MS = 60000
exports.TAIL_CHARACTERS = 2000

exports.READY_MS = READY_MS
