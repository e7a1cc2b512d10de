'use strict'

const { figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/**
 * The median of a cell, null where there is none.
 * @param {Cell[]} cells @param {string} variant @param {string} payload @param {number} depth
 */
const medianOf = (cells, variant, payload, depth) =>
  cells.find((cell) => cell.variant === variant && cell.params.payload === payload && cell.params.depth === depth)
    ?.median ?? null

/** @param {number} ratio */
const times = (ratio) => `${figure(ratio)} times`

/**
 * What the cells say in sentences, as far as they were measured.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells }) => {
  const of = (/** @type {string} */ variant, /** @type {string} */ payload, depth = 1) =>
    medianOf(cells, variant, payload, depth)
  /** @type {string[]} */
  const sentences = []
  /** @param {(number | null)[]} medians @param {(...medians: number[]) => string} sentence */
  const say = (medians, sentence) => {
    const found = medians.filter((median) => median !== null)
    if (found.length === medians.length) sentences.push(sentence(...found))
  }
  say([of('fork-json', 'small'), of('worker-clone', 'small')], (process, thread) =>
    `Small messages, one in flight: a thread answers ${figure(thread)}/s, a process ${figure(process)}/s (${times(thread / process)}).`)
  say([of('worker-clone', 'big'), of('worker-json', 'big')], (clone, json) =>
    `Arrays of objects (44 kB) between threads: structured clone ${figure(clone)}/s, JSON text ${figure(json)}/s (${times(json / clone)}).`)
  say([of('fork-json', 'big'), of('fork-v8', 'big')], (json, v8) =>
    `The same between processes: JSON ${figure(json)}/s, V8's serializer ${figure(v8)}/s (${times(v8 / json)}).`)
  say([of('fork-json', 'bigstring'), of('worker-clone', 'bigstring'), of('worker-clone', 'twobyte')], (process, thread, twobyte) =>
    `A string of 71 kB goes ${times(thread / process)} as often between threads as between processes; with two-byte characters threads pass ${figure(twobyte)}/s of ${figure(thread)}/s.`)
  say([of('worker-clone', 'bytes'), of('worker-transfer', 'bytes')], (copied, transferred) =>
    `64 KiB of bytes: ${figure(transferred)}/s transferred, ${figure(copied)}/s copied (${times(transferred / copied)}).`)
  const plain = of('worker-clone', 'small', 256)
  const rings = ['ring-raw', 'ring-json'].flatMap((variant) => { const median = of(variant, 'small', 256); return median === null ? [] : [{ variant, median }] })
  if (plain !== null && rings.length > 0) {
    const best = rings.reduce((a, b) => b.median > a.median ? b : a)
    sentences.push(`With 256 small messages in flight shared memory (${best.variant}) passes ${figure(best.median)}/s, plain postMessage ${figure(plain)}/s: ${times(best.median / plain)}.`)
  }
  return sentences
}
