'use strict'

const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '..', '..')

/** What every table's columns and marks mean. @type {[string, string][]} */
exports.terms = [
  ['median, min to max', 'of the runs of a cell, each in a fresh process'],
  ['95 %', 'where the true median lies, by Student\'s t on logarithms; two cells are compared by the interval of their ratio instead, repeat by repeat'],
  ['p50 / p99 ms', 'half of the single operations, and 99 of 100, took no longer'],
  ['caller delay', 'by how much the event loop that calls was late, and how often it was blocked'],
  ['CPU s, RSS MiB', 'of the caller, + other processes; threads of the caller, in brackets, are part of it'],
  ['oversubscribed', 'more processes and threads were busy than there are cores: the figure is the scheduler\'s as well']
]

/** As text: code and links without their marks. @param {string} markdown */
const plain = (markdown) => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '').trim()

/**
 * What the variants of a scenario are, as its README says under "The question": a row for each.
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
