'use strict'

const { causes } = require('../../tables/causes')
const answers = require('./answers')
const { compare } = require('./compare')

/** @typedef {import('./source').Source} Source */
/**
 * @typedef {object} Tool
 * @property {string} description
 * @property {Record<string, object>} properties of its arguments, as JSON Schema
 * @property {string[]} [required]
 * @property {(source: Source, args: Record<string, any>) => Promise<import('./text').Answer>} answer
 */

const text = (/** @type {string} */ description) => ({ type: 'string', maxLength: 1000, description })
const whole = (/** @type {string} */ description, /** @type {number} */ minimum, /** @type {number} */ maximum) => ({ type: 'integer', minimum, maximum, description })

const TIME = 'how long ago (90s, 10m, 2h, 7d) or an ISO time'
const range = { since: text(`begin of the range: ${TIME}`), until: text(`end of the range: ${TIME}; now if missing`) }
const cause = { type: 'string', enum: Object.keys(causes), description: 'of this cause alone' }
const filter = {
  ...range,
  cause,
  route: text('a part of method and route, as "GET /orders"'),
  work: text('a part of kind and name of the work, as "job email"'),
  file: text('a part of the path of the blamed file'),
  function: text('a part of the name of the blamed function')
}
const id = text('id of a block, as other answers give it')

/** Every tool of the server by its name. @type {Record<string, Tool>} */
exports.tools = {
  status: {
    description: 'Whether the event loop is blocked now, by what, and how much it was of late. Ask this first.',
    properties: {},
    answer: answers.status
  },
  culprits: {
    description: 'Which functions, requests and jobs block the event loop, the longest in total first, each with the id of its longest block.',
    properties: { ...filter, limit: whole('most culprits', 1, 50) },
    answer: answers.culprits
  },
  blocks: {
    description: 'Single blocks with id, time and a sentence, filtered by range, cause, route, work, file and function.',
    properties: { ...filter, order: { type: 'string', enum: ['newest', 'longest'] }, limit: whole('most blocks', 1, 100), offset: whole('blocks to skip', 0, 1e6) },
    answer: answers.blocks
  },
  block: {
    description: 'One block: file and line, source around it with the share of samples by line, advice, who waited, stack.',
    properties: { id },
    required: ['id'],
    answer: answers.block
  },
  flame: {
    description: 'Blocked time as a tree of functions, the heaviest ones.',
    properties: {
      ...range,
      cause,
      route: text('method and route, exactly as other answers write them'),
      work: text('the work, exactly as other answers write it'),
      top: whole('most functions', 1, 60),
      all: { type: 'boolean', description: 'with functions of Node.js and of packages' }
    },
    answer: answers.flame
  },
  compare: {
    description: 'Two ranges of time, culprit by culprit: what got better or worse, for instance since a deployment.',
    properties: {
      baselineSince: text(`begin of the earlier range: ${TIME}`),
      baselineUntil: text(`end of the earlier range: ${TIME}`),
      ...range
    },
    required: ['baselineSince', 'baselineUntil', 'since'],
    answer: compare
  },
  advice: {
    description: 'What to do about a block; without an id about the first culprits.',
    properties: { id },
    answer: answers.advice
  }
}

/** @param {Tool} tool */
exports.schemaOf = ({ properties, required = [] }) => ({ type: 'object', properties, required, additionalProperties: false })
