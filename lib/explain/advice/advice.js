'use strict'

const calls = require('./advice-by-call')
const turns = require('./advice-by-stack')
const { lookAt } = require('./evidence-view')
const { excerptOf } = require('./excerpt')
const { excuseOf } = require('../../tables/causes')

/**
 * @import { Cause } from '../../tables/causes'
 * @import { BlockRecord } from '../../types'
 * @import { Detector } from './advice-by-call'
 */

/** Most advice for one block: more would not be read. */
const MOST = 3

/**
 * Every detector with its page of the docs, the most specific first.
 * @type {Record<string, { detect: Detector, doc: Cause }>}
 */
const detectors = {
  regexp: { detect: calls.regexp, doc: 'js' },
  json: { detect: calls.json, doc: 'native' },
  require: { detect: turns.require, doc: 'js' },
  tls: { detect: turns.tls, doc: 'native' },
  logging: { detect: turns.logging, doc: 'sync-io' },
  sync: { detect: calls.sync, doc: 'sync-io' },
  mapping: { detect: calls.mapping, doc: 'js' },
  template: { detect: calls.template, doc: 'js' },
  sort: { detect: calls.sort, doc: 'native' },
  search: { detect: calls.search, doc: 'js' },
  builtin: { detect: calls.builtin, doc: 'native' },
  report: { detect: calls.report, doc: 'sync-io' },
  microtasks: { detect: turns.microtasks, doc: 'js' },
  memory: { detect: turns.memory, doc: 'gc' },
  allocation: { detect: turns.allocation, doc: 'gc' },
  many: { detect: turns.many, doc: 'many' },
  growth: { detect: turns.growth, doc: 'js' }
}

/** @typedef {{ kind: string, text: string, doc: string }} Advice `doc` is a page of the package */

/**
 * What to do about a block: at most three sentences, and often none.
 * @param {BlockRecord} record with all its stacks @param {string[] | null} [lines] of the blamed frame's file
 * @param {BlockRecord[]} [earlier] blocks of the same place, oldest first, this one last @returns {Advice[]}
 */
exports.adviceOf = (record, lines = null, earlier = []) => {
  if (excuseOf(record.cause) !== undefined) return []
  const seen = lookAt(record, lines, earlier)
  return Object.entries(detectors).flatMap(([kind, { detect, doc }]) => {
    const text = detect(seen)
    return text === null ? [] : [{ kind, text, doc: `docs/causes/${doc}.md` }]
  }).slice(0, MOST)
}

/**
 * Blocks of the same place show whether they grow.
 * @param {BlockRecord} record
 * @param {string[] | null} lines of its file, null if not to be shown @param {() => BlockRecord[]} records oldest first
 */
exports.detailOf = (record, lines, records) => {
  const { frame, startedAt } = record
  const isEarlier = (/** @type {BlockRecord} */ other) =>
    other.startedAt <= startedAt && other.frame?.file === frame?.file && other.frame?.line === frame?.line
  const earlier = frame === null ? [] : records().filter(isEarlier)
  return {
    block: record,
    source: lines === null ? null : excerptOf(record, lines),
    advice: exports.adviceOf(record, lines, earlier)
  }
}

exports.detectors = detectors
