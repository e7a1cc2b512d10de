'use strict'

/**
 * @import { BlockRecord } from '../../types'
 * @import { WaitingRequests } from '../requests/recent-blocks'
 */

/** Addresses that only this machine can reach. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/i

/** Whether other machines may read the endpoint without a token. @param {{ token?: string, host: string }} options */
exports.isExposed = ({ token, host }) => token === undefined && !LOOPBACK.test(host)

/** @param {{ source: 'on' | 'off', token?: string, host: string }} options */
exports.showsSource = (options) => options.source === 'on' && !exports.isExposed(options)

/**
 * Answers `/block?id=`: one block with the lines around its place, the requests that waited for it, and what to do.
 * @param {object} parts @param {{ source: 'on' | 'off', token?: string, host: string }} parts.options
 * @param {(id: string) => BlockRecord | undefined} parts.block @param {() => BlockRecord[]} parts.records newest first
 * @param {(id: string) => WaitingRequests} parts.waitsFor
 * @param {(file: string) => string[] | null} parts.sourceRows a source, null if it cannot be read
 * @returns {(id: string) => object | null} null if there is no such block
 */
exports.makeDetail = ({ options, block, records, waitsFor, sourceRows }) => {
  const mayShow = exports.showsSource(options)
  return (id) => {
    const record = block(id)
    if (record === undefined) return null
    const { detailOf } = require('../../explain/advice/advice')
    const { fileToShow } = require('../../explain/advice/excerpt')
    const file = mayShow ? fileToShow(record) : null
    const lines = file === null ? null : sourceRows(file)
    return { ...detailOf(record, lines, () => records().toReversed()), waits: waitsFor(id) }
  }
}
