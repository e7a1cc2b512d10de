'use strict'

const { compared, told } = require('../harness/report/contrast')
const { figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell[]} cells @param {string} variant @param {string} payload @param {number} [depth] */
const find = (cells, variant, payload, depth = 1) => cells.find((cell) =>
  cell.median !== null && cell.variant === variant && cell.params.payload === payload && cell.params.depth === depth)

/** @param {Cell} cell */
const rate = ({ median }) => `${figure(median)}/s`

/**
 * A process or a thread?
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const [thread, process] = ['worker-clone', 'fork-json'].map((variant) => find(cells, variant, 'small'))
  return thread === undefined || process === undefined
    ? null
    : told(thread, process, {
      of: 'How many small messages, sent one at a time, come back from a thread compared with a process',
      more: 'Send messages to a thread rather than to a process: small ones, one at a time, come back more often',
      less: 'Send messages to a process rather than to a thread: small ones, one at a time, come back less often from a thread'
    })
}

/**
 * What the cells say in sentences, as far as they were measured.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells }) => {
  const of = (/** @type {string} */ variant, /** @type {string} */ payload, depth = 1) =>
    find(cells, variant, payload, depth)
  /**
   * @param {Cell | undefined} a @param {Cell | undefined} b
   * @param {(a: Cell, b: Cell, ratio: string) => string} sentence
   */
  const say = (a, b, sentence) => a === undefined || b === undefined ? [] : [sentence(a, b, compared(a, b))]
  const rings = ['ring-raw', 'ring-json'].flatMap((variant) => of(variant, 'small', 256) ?? [])
  const best = rings.sort((a, b) => Number(b.median) - Number(a.median))[0]
  return [
    ...say(of('worker-clone', 'small'), of('fork-json', 'small'), (thread, process, ratio) =>
      `Small messages, one in flight: a thread answers ${rate(thread)}, a process ${rate(process)}: ${ratio}.`),
    ...say(of('worker-json', 'big'), of('worker-clone', 'big'), (json, clone, ratio) =>
      `Arrays of objects (44 kB) between threads: JSON text ${rate(json)}, structured clone ${rate(clone)}: ${ratio}.`),
    ...say(of('fork-v8', 'big'), of('fork-json', 'big'), (v8, json, ratio) =>
      `The same between processes: V8's serializer ${rate(v8)}, JSON ${rate(json)}: ${ratio}.`),
    ...say(of('worker-clone', 'bigstring'), of('fork-json', 'bigstring'), (thread, process, ratio) =>
      `A string of 71 kB between threads ${rate(thread)}, between processes ${rate(process)}: ${ratio}.`),
    ...say(of('worker-clone', 'twobyte'), of('worker-clone', 'bigstring'), (two, one, ratio) =>
      `The same string between threads with two-byte characters ${rate(two)}, with one-byte ones ${rate(one)}: ${ratio}.`),
    ...say(of('worker-transfer', 'bytes'), of('worker-clone', 'bytes'), (transferred, copied, ratio) =>
      `64 KiB of bytes: ${rate(transferred)} transferred, ${rate(copied)} copied: ${ratio}.`),
    ...say(best, of('worker-clone', 'small', 256), (ring, plain, ratio) =>
      `With 256 small messages in flight shared memory (${ring.variant}) passes ${rate(ring)}, plain postMessage ${rate(plain)}: ${ratio}.`)
  ]
}
