'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { makeFolder } = require('../util/files')
const { readSource } = require('../util/read-source')
const { isText, listOf, objectOf, orNull } = require('../util/validators')

/** Beside the records of blocks, where an agent with this `dir` finds it. */
const FILE = 'what-if.json'
/** An agent ignores a file of another version. */
const VERSION = 1
/** Functions whose predictions are kept, the newest first: more than anybody would move at a time. */
const MOST = 10
/** Ten predictions have about 10 kB. The watchdog reads no more than this. */
const BYTES = 64 * 1024
/** A page shows texts of this length at most, and paths on Linux have at most 4096 characters. */
const TEXT_CHARS = 400
const PATH_CHARS = 4096
/** Routes whose p99 is told. */
const ROUTES = 3

/**
 * @typedef {object} Prediction what moving a function to a worker thread would do
 * @property {string} function
 * @property {string} file absolute path, as in the records of its blocks
 * @property {number} line
 * @property {string} verdict pays, does not pay, makes no difference, or unknown
 * @property {string | null} reason why it is unknown
 * @property {{ work: string, beforeMs: number, afterMs: number }[]} p99 of at most three routes, the worst first
 * @property {number} workMs mean of a request that calls the function
 * @property {number} cloningMs of that request, on the loop
 * @property {string} measuredAt ISO time
 * @property {string} how it was measured
 */

const isShort = (/** @type {any} */ value) => isText(value) && value.length > 0 && value.length <= TEXT_CHARS
const isMs = (/** @type {any} */ value) => Number.isFinite(value) && value >= 0

const arePredictions = listOf(objectOf({
  function: isShort,
  file: (value) => isText(value) && value.length <= PATH_CHARS && path.isAbsolute(value),
  line: (value) => Number.isSafeInteger(value) && value >= 0,
  verdict: (value) => ['pays', 'does not pay', 'makes no difference', 'unknown'].includes(value),
  reason: orNull(isShort),
  p99: (value) => listOf(objectOf({ work: isShort, beforeMs: isMs, afterMs: isMs }))(value) && value.length <= ROUTES,
  workMs: isMs,
  cloningMs: isMs,
  measuredAt: (value) => isText(value) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value),
  how: isShort
}))

/** @param {string} file @returns {Prediction[]} @throws {Error} where it is none of ours */
function readPredictions (file) {
  const text = readSource(file, BYTES)
  if (text === null) throw new Error(`it cannot be read, or has more than ${BYTES} bytes`)
  const { version, predictions } = JSON.parse(text) ?? {}
  if (version !== VERSION) throw new Error(`its version is not ${VERSION}`)
  if (!arePredictions(predictions) || predictions.length > MOST) throw new Error('it has no predictions that can be told')
  return predictions
}

/** The predictions of a folder, as they are now. It never throws: a file that is not ours is told once and ignored. */
class WhatIfFile {
  #file
  #onBad
  /** Size and time of the file that has been read. */
  #seen = ''
  #isTold = false
  /** @type {Prediction[]} */
  #predictions = []

  /** @param {string} dir @param {(file: string, error: Error) => void} onBad */
  constructor (dir, onBad) {
    this.#file = path.join(dir, FILE)
    this.#onBad = onBad
  }

  /** @returns {Prediction[]} the newest first */
  read () {
    try {
      const stat = fs.statSync(this.#file, { throwIfNoEntry: false })
      const seen = stat === undefined ? '' : `${stat.size} ${stat.mtimeMs}`
      if (seen === this.#seen) return this.#predictions
      this.#seen = seen
      this.#predictions = []
      if (stat !== undefined) this.#predictions = readPredictions(this.#file)
      this.#isTold = false
    } catch (error) {
      this.#predictions = []
      if (!this.#isTold) this.#onBad(this.#file, error)
      this.#isTold = true
    }
    return this.#predictions
  }
}

/**
 * Leaves a prediction in a folder. It takes the place of an earlier one of the same function, and of the oldest one
 * where there are too many.
 * @param {string} dir made if it is missing
 * @param {Prediction} prediction
 * @returns {string} the file
 * @throws {Error} where it cannot be written
 */
function leavePrediction (dir, prediction) {
  if (!arePredictions([prediction])) throw new Error('no page could show it')
  const file = path.join(dir, FILE)
  /** @type {Prediction[]} */
  let earlier = []
  // What cannot be read is written anew.
  try { earlier = readPredictions(file) } catch {}
  const others = earlier.filter((each) => !isOf(each, prediction))
  const textOf = (/** @type {number} */ count) =>
    `${JSON.stringify({ version: VERSION, predictions: [prediction, ...others.slice(0, count)] }, null, 2)}\n`
  let kept = MOST - 1
  while (kept > 0 && Buffer.byteLength(textOf(kept)) > BYTES) kept--
  makeFolder(dir)
  // An agent that reads meanwhile finds the whole of it.
  fs.writeFileSync(`${file}.part`, textOf(kept), { mode: 0o640 })
  fs.renameSync(`${file}.part`, file)
  return file
}

/** @param {Prediction} prediction @param {{ function: string | null, file: string | null }} frame */
const isOf = (prediction, frame) => prediction.function === frame.function && prediction.file === frame.file

/**
 * What is predicted of the function that is to blame.
 * @param {Prediction[]} predictions
 * @param {import('../types').Frame | null} frame
 */
const predictionFor = (predictions, frame) =>
  frame === null ? null : predictions.find((each) => isOf(each, frame)) ?? null

exports.WhatIfFile = WhatIfFile
exports.leavePrediction = leavePrediction
exports.predictionFor = predictionFor
exports.ROUTES = ROUTES
exports.TEXT_CHARS = TEXT_CHARS
