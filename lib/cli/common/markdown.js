'use strict'

const { printable } = require('../../util/sentence')

/** Names come from the application. @param {string} text */
const inMarkdown = (text) => printable(text).replace(/[\\`*_<>[\]|~#]/g, '\\$&')

/** @param {string[]} head @param {string[][]} rows @param {(column: number) => boolean | undefined} isNumber */
exports.markdownTable = (head, rows, isNumber) => {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |\n`
  const rule = head.map((_, i) => isNumber(i) ? '--:' : '---')
  return `${line(head.map(inMarkdown))}${line(rule)}${rows.map((row) => line(row.map(inMarkdown))).join('')}`
}

exports.inMarkdown = inMarkdown
