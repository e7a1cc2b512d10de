'use strict'

const fs = require('node:fs')
const { detailOf } = require('../../explain/advice/advice')
const { EventStreams } = require('../../export/http/event-streams')
const { json } = require('../../export/http/server')
const { summaryOf } = require('../../store/record')

/** @import { Recording } from '../../store/recording' */

/** Interval of messages: the page takes an agent for lost after five seconds without one. */
const STATE_MS = 1000
const NO_WAITS = { requests: 0, longestMs: 0, routes: [] }
const TEXT = /** @type {const} */ ('text/plain; version=0.0.4; charset=utf-8')

/** The answer of `/block?id=`. @param {Pick<Recording, 'blocks' | 'details'>} recording @param {string} id */
exports.detailIn = ({ blocks, details }, id) => {
  const block = blocks.find((each) => each.id === id)
  if (block === undefined) return null
  // Only the longest blocks were recorded with their source.
  if (!Object.hasOwn(details, id)) return { ...detailOf(block, null, () => blocks.toReversed()), waits: NO_WAITS }
  const { source = null, advice = [], waits = NO_WAITS } = details[id] ?? {}
  return { block, source, advice, waits }
}

/** Sources of an endpoint's paths. @param {Recording} recording @param {string} file it is in */
exports.sourcesOf = (recording, file) => {
  const { blocks, metrics, timeline } = recording
  return {
    metrics: { contentType: () => TEXT, render: async () => metrics },
    blockedMs: () => 0,
    workers: () => null,
    blocks: () => blocks.map(summaryOf),
    block: (/** @type {string} */ id) => blocks.find((each) => each.id === id),
    detail: (/** @type {string} */ id) => exports.detailIn(recording, id),
    incidents: () => [].concat(recording.page.state.slow ?? []),
    records: () => blocks,
    timeline: () => json(timeline),
    recording: () => fs.readFileSync(file),
    page: new RecordedPage(recording)
  }
}

/** Sends pages the agent's state at the time of the recording, again and again: there is no other news. */
class RecordedPage {
  #recording
  #timer
  #streams = new EventStreams(() => {})

  /** @param {Recording} recording */
  constructor (recording) {
    this.#recording = recording
    this.#timer = setInterval(() => this.#streams.send('state', recording.page.state), STATE_MS).unref()
  }

  connect () {
    const { page: { hello, state }, blocks, recordedAt } = this.#recording
    const ids = new Set(blocks.map(({ id }) => id))
    const rows = hello.blocks.filter((/** @type {any} */ row) => ids.has(row?.id))
    return this.#streams.connect(() => [['hello', { ...hello, blocks: rows, recordedAt }], ['state', state]])
  }

  close () {
    clearInterval(this.#timer)
    this.#streams.close()
  }
}
