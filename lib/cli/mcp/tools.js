'use strict'

const { causes } = require('../../tables/causes')

/** @typedef {{ description: string, properties: Record<string, object>, required?: string[] }} Tool as JSON Schema */
/** @typedef {Exclude<keyof typeof import('./answers'), 'trendOf'>} ToolName */

/** @param {string} [description] */
const text = (description) => ({ type: 'string', maxLength: 1000, description })
/** @param {number} minimum @param {number} maximum */
const whole = (minimum, maximum) => ({ type: 'integer', minimum, maximum })

const id = text('id of a block, from another answer')
const time = text('how long ago (90s, 10m, 2h, 7d) or an ISO time')
const range = { since: time, until: time, cause: { type: 'string', enum: Object.keys(causes) } }
const filter = {
  ...range,
  route: text('a part of it, such as "GET /orders"'),
  work: text('a part of it, such as "job email"'),
  file: text('a part of the path'),
  function: text('a part of the name')
}

/** By name in answers.js. @type {Record<ToolName, Tool>} */
exports.tools = {
  status: {
    description: 'Whether the event loop is blocked now and by what, how much recently, and what else is slow: thread pool, heap. Ask it first.',
    properties: {}
  },
  culprits: {
    description: 'What blocks the event loop, longest in total first, with the id of its longest block.',
    properties: { ...filter, limit: whole(1, 50) }
  },
  blocks: {
    description: 'Blocks with id, time and a sentence, newest first.',
    properties: { ...filter, order: { type: 'string', enum: ['newest', 'longest'] }, limit: whole(1, 100), offset: whole(0, 1e6) }
  },
  block: {
    description: 'One block: file, line, source with the share of samples by line, advice, who waited, stack.',
    properties: { id },
    required: ['id']
  },
  flame: {
    description: 'Blocked time as a tree of the heaviest functions. route and work are exact here.',
    properties: { ...range, route: text(), work: text(), top: whole(1, 60) }
  },
  compare: {
    description: 'Two ranges of time by culprit: what got better or worse, for example after a deployment.',
    properties: { baselineSince: time, baselineUntil: time, since: time, until: time },
    required: ['baselineSince', 'baselineUntil', 'since']
  },
  advice: {
    description: 'What to do about a block; without an id, about the top culprits.',
    properties: { id }
  }
}
