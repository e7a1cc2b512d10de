'use strict'

const path = require('node:path')
const { adviceOf } = require('../../explain/advice/advice')
const { excerptOf } = require('../../explain/advice/excerpt')

/** What source is written in. A frame's file may be named by a source map, which could name any file. */
const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|coffee|civet)$/i

/** Addresses that nobody outside this machine can reach. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/i

/** @typedef {import('../../types').BlockRecord} BlockRecord */

/**
 * Whether the endpoint may show source: to whoever has the token, or is on this machine.
 * @param {{ source: 'on' | 'off', token?: string, host: string }} options
 */
exports.showsSource = ({ source, token, host }) => source === 'on' && (token !== undefined || LOOPBACK.test(host))

/**
 * Answers `/block?id=`: one block with the lines around its place, who waited for it, and what to do.
 * @param {object} parts
 * @param {{ source: 'on' | 'off', token?: string, host: string }} parts.options
 * @param {(id: string) => BlockRecord | undefined} parts.block
 * @param {(id: string) => import('../requests/recent-blocks').Waits} parts.waitsFor
 * @param {() => BlockRecord[]} parts.records newest first
 * @param {(file: string) => string[] | null} parts.linesOf a source, null where it cannot be read
 * @returns {(id: string) => object | null} null where there is no such block
 */
exports.makeDetail = ({ options, block, records, waitsFor, linesOf }) => {
  const mayShow = exports.showsSource(options)
  return (id) => {
    const record = block(id)
    if (record === undefined) return null
    const { frame } = record
    const file = mayShow && frame?.compiled !== true ? frame?.file ?? '' : ''
    const lines = path.isAbsolute(file) && SOURCE.test(file) ? linesOf(file) : null
    const earlier = frame === null ? [] : records().filter((each) => isSame(each, record)).reverse()
    return {
      block: record,
      source: lines === null ? null : excerptOf(record, lines),
      advice: adviceOf(record, lines, earlier),
      waits: waitsFor(id)
    }
  }
}

/**
 * Whether two blocks are of one place, the other one no later.
 * @param {BlockRecord} other
 * @param {BlockRecord} record
 */
function isSame (other, { frame, startedAt }) {
  return other.startedAt <= startedAt && other.frame?.file === frame?.file && other.frame?.line === frame?.line
}
