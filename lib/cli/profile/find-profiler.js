'use strict'

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { findTool } = require('../common/find-tool')

/**
 * A package's script: the application's own, else the one next to loopwatch, else the one on the PATH.
 * @param {'clinic' | '0x'} name @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [from]
 */
exports.findProfiler = (name, { cwd = process.cwd(), env = process.env } = {}) => {
  for (const base of [path.join(cwd, 'package.json'), __filename]) {
    try {
      const manifest = createRequire(base).resolve(`${name}/package.json`)
      const { bin } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
      return path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin[name])
    } catch {
      // It is not there: try the next place.
    }
  }
  const onPath = findTool([name], env)
  if (onPath === null) throw codedError('LOOPWATCH_ERR_PROFILER', name)
  // npm links the command to its script. Any node can run that.
  return fs.realpathSync(onPath)
}
