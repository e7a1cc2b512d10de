'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { linesOf } = require('../corpus/marks')

const FILE = path.join(__dirname, 'tasks.js')
const lines = linesOf(fs.readFileSync(FILE, 'utf8'))

/**
 * @typedef {'worker' | 'piscina' | 'tinypool' | 'workerpool' | 'nested' | 'eval' | 'server' | 'waits'} Host
 * what runs the task; waits: a thread that waits for a message in Atomics.wait(), which is not a block
 * @typedef {object} ThreadCase
 * @property {Host} host @property {string} task of tasks.js @property {string[]} cause those that are right
 * @property {string[]} functions that may be named @property {number[]} lines
 * @property {string | null} owner the package to be named
 */

/**
 * @param {Host} host @param {string} task @param {string[]} cause @param {Partial<ThreadCase>} [more]
 * @returns {ThreadCase}
 */
const known = (host, task, cause, more) =>
  ({ host, task, cause, functions: [task], lines: lines[task] ?? [], owner: null, ...more })

/** @type {ThreadCase[]} */
exports.cases = [
  known('worker', 'countPrimes', ['js']),
  known('worker', 'parseOrders', ['native', 'gc']),
  known('worker', 'hashPassword', ['native']),
  known('worker', 'unpack', ['native']),
  known('worker', 'matchPattern', ['native', 'js']),
  known('worker', 'sortRows', ['js', 'native'], { functions: ['sortRows', 'callback of rows.toSorted'] }),
  known('worker', 'allocateRows', ['gc', 'js']),
  // Half of it is regular expressions.
  known('worker', 'renderPage', ['js', 'gc', 'native'], { owner: 'marked' }),
  known('piscina', 'countPrimes', ['js']),
  known('piscina', 'unpack', ['native']),
  known('tinypool', 'sortRows', ['js', 'native'], { functions: ['sortRows', 'callback of rows.toSorted'] }),
  known('workerpool', 'countPrimes', ['js']),
  known('server', 'countPrimes', ['js']),
  known('server', 'hashPassword', ['native']),
  known('eval', 'countPrimes', ['js']),
  known('nested', 'countPrimes', ['js']),
  known('waits', 'nothing', [])
]

exports.FILE = FILE
