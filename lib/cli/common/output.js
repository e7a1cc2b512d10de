'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { codedErrorFrom } = require('../../tables/errors')
const { makeFolder } = require('../../util/files')
const { printable } = require('../../util/sentence')

let isListening = false

/** Ends the process without a word if its reader has enough, as `| head` has. */
exports.endWithReader = () => {
  if (isListening) return
  isListening = true
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

/** Makes a folder, and checks that files can be written there. @param {string} flag @param {string} folder */
exports.makeOutputFolder = (flag, folder) => {
  try {
    makeFolder(path.resolve(folder))
    fs.accessSync(folder, fs.constants.W_OK)
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', flag, folder, printable(error.message))
  }
}

/** @type {Partial<Record<NodeJS.Platform, string[]>>} */
const openers = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/** Opens a file in the browser; does nothing without a desktop. @param {string} file */
exports.openFile = (file) => {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(command, [...args, file], { stdio: 'ignore', detached: true }).on('error', () => {}).unref()
}

/** Text that Markdown shows as it is: names come from the application. @param {string} text */
const inMarkdown = (text) => printable(text).replace(/[\\`*_<>[\]|~#]/g, '\\$&')

/** @param {string[]} head @param {string[][]} rows @param {(column: number) => boolean | undefined} isNumber */
exports.markdownTable = (head, rows, isNumber) => {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |\n`
  const rule = head.map((_, i) => isNumber(i) ? '--:' : '---')
  return `${line(head.map(inMarkdown))}${line(rule)}${rows.map((row) => line(row.map(inMarkdown))).join('')}`
}

exports.inMarkdown = inMarkdown
