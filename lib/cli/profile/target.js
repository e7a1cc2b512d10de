'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../../tables/errors')

const SCRIPT = /\.[cm]?[jt]sx?$/
const NODE = /^node(js)?(\.exe)?$/

/** @param {string[]} command `node [flags] app.js [args]`, or a script @throws a LoopwatchError */
exports.parseTarget = (command) => {
  const [first, ...rest] = command
  if (first === undefined) throw codedError('LOOPWATCH_ERR_TARGET', '')
  if (NODE.test(path.basename(first)) && rest.length > 0) {
    checkScript(rest[0])
    // Our Node.js, unless the command names one by its path.
    return { node: first === path.basename(first) ? process.execPath : path.resolve(first), args: withWholePath(rest) }
  }
  if (!SCRIPT.test(first)) throw codedError('LOOPWATCH_ERR_TARGET', command.join(' '))
  checkScript(first)
  return { node: process.execPath, args: withWholePath(command) }
}

/** A missing script would be profiled as one that does nothing. @param {string} script or a flag */
function checkScript (script) {
  if (script.startsWith('-') || ['', '.js', '.json', '.node'].some((ending) => fs.existsSync(script + ending))) return
  throw codedError('LOOPWATCH_ERR_START', `there is no file ${path.resolve(script)}`)
}

/** clinic takes the script's folder for the application's. @param {string[]} args */
function withWholePath ([first, ...rest]) {
  return [fs.existsSync(first) ? path.resolve(first) : first, ...rest]
}
