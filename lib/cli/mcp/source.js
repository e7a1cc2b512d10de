'use strict'

const { detailOf } = require('../../explain/advice/advice')
const { fileToShow } = require('../../explain/advice/excerpt')
const { chooseBy } = require('../../export/profiles/query-filter')
const { flameOf } = require('../../export/profiles/profiles')
const { isRecord } = require('../../store/record')
const { isRecording, readRecording } = require('../../store/recording')
const { readSource } = require('../../util/files')
const { isOnDisk, readAll } = require('../blocks/blocks')
const { ask, askJson, notOurs } = require('../common/endpoint')
const { detailIn } = require('../record/sources')

/**
 * @import { Advice } from '../../explain/advice/advice'
 * @import { Excerpt } from '../../explain/advice/excerpt'
 * @import { FlameNode } from '../../export/profiles/flame-tree'
 * @import { LoopwatchError } from '../../tables/errors'
 * @import { BlockRecord } from '../../types'
 */

/**
 * @typedef {object} Detail the answer of `/block?id=`
 * @property {BlockRecord} block
 * @property {Excerpt | null} source
 * @property {Advice[]} advice
 * @property {{ requests: number, longestMs: number, routes: { name: string, count: number, longestMs: number }[] } |
 *   null} waits null if they were not counted
 *
 * @typedef {object} Source
 * @property {boolean} isLive whether it knows what happens now
 * @property {string} [recordedAt] of a recording: all that it knows is of this time
 * @property {() => Promise<BlockRecord[]>} records oldest first, perhaps with only their heaviest stack
 * @property {(record: BlockRecord, records: BlockRecord[]) => Promise<Detail>} detail of one of the records
 * @property {(query: URLSearchParams) => Promise<FlameNode>} flame
 * @property {() => Promise<string>} [metrics] if it has any
 */

/**
 * Opens an agent's endpoint, or records on disk. @param {string} name @param {string} [token] @returns {Source}
 * @throws {LoopwatchError} LOOPWATCH_ERR_ADDRESS, LOOPWATCH_ERR_SOURCE
 */
exports.openSource = (name, token) => {
  const records = async () => {
    const { blocks, failure } = await readAll([name], { token })
    if (failure !== null) throw failure
    return blocks.map(({ record }) => record)
  }
  if (isOnDisk(name) && isRecording(name)) return openRecording(name)
  if (isOnDisk(name)) return { isLive: false, records, detail: readDetail, flame: (query) => readFlame(records, query) }
  return {
    isLive: true,
    records,
    detail: async ({ id }) => {
      const detail = /** @type {any} */ (await askJson(name, `block?${new URLSearchParams({ id })}`, token))
      if (!isRecord(detail?.block)) throw notOurs(name, 'its response is not a block')
      return detail
    },
    flame: async (query) => /** @type {any} */ (await askJson(name, `flame?${query}`, token)),
    metrics: async () => (await ask(name, 'metrics', token)).text()
  }
}

/** @param {string} file @returns {Source} */
function openRecording (file) {
  const recording = readRecording(file)
  const records = async () => recording.blocks.toReversed()
  return {
    isLive: false,
    recordedAt: recording.recordedAt,
    records,
    detail: async ({ id }) => /** @type {Detail} */ (detailIn(recording, id)),
    flame: (query) => readFlame(records, query),
    metrics: async () => recording.metrics
  }
}

/** The detail as the agent makes it, with the source that is on this machine now. @type {Source['detail']} */
async function readDetail (block, records) {
  const file = fileToShow(block)
  const lines = (file === null ? null : readSource(file))?.split('\n') ?? null
  return { ...detailOf(block, lines, () => records), waits: null }
}

/** @param {() => Promise<BlockRecord[]>} records @param {URLSearchParams} query */
async function readFlame (records, query) {
  const { records: chosen } = /** @type {{ records: BlockRecord[] }} */ (chooseBy(await records(), query))
  return (await flameOf(chosen)).toJSON()
}
