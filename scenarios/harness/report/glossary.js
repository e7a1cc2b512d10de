'use strict'

const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '..', '..')

/** Meaning of the columns and marks of every table. @type {[string, string][]} */
exports.terms = [
  ['median, min to max', 'of the runs of a cell; each run is a fresh process'],
  ['95%', 'the confidence interval of the median, by Student\'s t on logarithms; to compare two cells, use the interval of their ratio instead'],
  ['p50 / p99 ms', 'half of the operations, and 99 of 100, took no longer than this'],
  ['caller delay', 'how late the calling event loop was, and how often it was blocked'],
  ['CPU s, RSS MiB', 'of the caller, + of other processes; threads of the caller are in brackets and included in its figure'],
  ['first / second', 'the ratio of two figures with its 95% interval; if that is within 0.9 to 1.1 they are about the same'],
  ['oversubscribed', 'more processes and threads were busy than there are cores, so the figure also depends on the scheduler']
]

/** Markdown as text: code and links without their marks. @param {string} markdown */
const plain = (markdown) => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '').trim()

/**
 * The variants of a scenario with their meaning, from "The question" of its README: a row for each.
 * @param {string} scenario name of its folder
 * @returns {Map<string, string>}
 */
exports.variantsOf = (scenario) => {
  const file = path.join(ROOT, scenario, 'README.md')
  if (!fs.existsSync(file)) return new Map()
  const [, question] = /\n## The question\n([^]*?)\n## /.exec(fs.readFileSync(file, 'utf8')) ?? ['', '']
  const tables = question.trimEnd().split(/\n\n+/).filter((block) => block.startsWith('| variant |'))
  return new Map(tables.flatMap((table) => table.split('\n').slice(2).map((row) => {
    const [name, ...cells] = row.split('|').slice(1, -1).map(plain)
    return /** @type {[string, string]} */ ([name, cells.filter((cell) => cell !== '' && cell !== name).join('; ')])
  })))
}
