'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../../tables/errors')

const SCRIPT = /\.[cm]?[jt]sx?$/
const NODE = /^node(js)?(\.exe)?$/

/**
 * The application's command line: `node [flags] app.js [args]`, or a script alone.
 * @param {string[]} command
 * @returns {{ node: string, args: string[] }}
 * @throws {import('../../tables/errors').LoopwatchError} LOOPWATCH_ERR_TARGET, LOOPWATCH_ERR_START
 */
exports.parseTarget = (command) => {
  const [first, ...rest] = command
  if (first === undefined) throw codedError('LOOPWATCH_ERR_TARGET', '')
  if (NODE.test(path.basename(first)) && rest.length > 0) {
    checkScript(rest[0])
    // The very Node.js that runs this, where none is named by its path.
    return { node: first === path.basename(first) ? process.execPath : path.resolve(first), args: withWholePath(rest) }
  }
  if (!SCRIPT.test(first)) throw codedError('LOOPWATCH_ERR_TARGET', command.join(' '))
  checkScript(first)
  return { node: process.execPath, args: withWholePath(command) }
}

/**
 * A script that is not there would be profiled as an application that does nothing.
 * @param {string} script or a flag of Node.js
 */
function checkScript (script) {
  if (script.startsWith('-') || ['', '.js', '.json', '.node'].some((ending) => fs.existsSync(script + ending))) return
  throw codedError('LOOPWATCH_ERR_START', `there is no file ${path.resolve(script)}`)
}

/** clinic takes the script's folder for the application's, wherever it runs itself. @param {string[]} args */
function withWholePath ([first, ...rest]) {
  return [fs.existsSync(first) ? path.resolve(first) : first, ...rest]
}
