'use strict'

const { BYTES_AT_ONCE, gzip } = require('../util/gzip')
const { FORMAT, VERSION } = require('./recording')

/** A text that is JSON already, without secrets. */
class Json {
  /** @param {string} text */
  constructor (text) {
    this.text = text
  }
}

/** JSON, one element a piece. @param {unknown} value @param {(key: string, value: unknown) => unknown} replace */
function * piecesOf (value, replace) {
  if (value instanceof Json) {
    yield value.text
  } else if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) yield `${i === 0 ? '[' : ','}${JSON.stringify(each, replace)}`
    yield value.length === 0 ? '[]' : ']'
  } else {
    yield JSON.stringify(value, replace)
  }
}

/**
 * Packs the parts of a recording in steps between which the watchdog polls the loop.
 * @param {Record<string, () => unknown>} parts may be promises @param {(text: string) => string} hide secrets
 */
exports.packRecording = async (parts, hide) => {
  /** @type {Buffer[]} members of one gzip file */
  const packed = []
  let waiting = ''
  const replace = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'string' ? hide(value) : value
  const pack = async (/** @type {string} */ text) => { packed.push(await gzip(Buffer.from(text))) }
  const add = async (/** @type {string} */ text) => {
    waiting += text
    if (waiting.length < BYTES_AT_ONCE) return
    const full = waiting
    waiting = ''
    await pack(full)
  }
  await add(`{"format":"${FORMAT}","formatVersion":${VERSION}`)
  for (const [name, make] of Object.entries(parts)) {
    await add(`,${JSON.stringify(name)}:`)
    for (const piece of piecesOf(await make(), replace)) await add(piece)
  }
  await pack(`${waiting}}\n`)
  return Buffer.concat(packed)
}

exports.Json = Json
