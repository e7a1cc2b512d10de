import { duration } from '../format.mjs'

/**
 * What `loopwatch diagnose` predicts of a function, if it was asked about this one.
 * @param {any[]} predictions
 * @param {any} frame of a block or culprit
 */
export const predictionFor = (predictions, frame) =>
  predictions.find((each) => each.function === frame?.function && each.file === frame.file) ?? null

/** What moving a function to a worker thread would do, in a sentence. @param {any} prediction */
export function predictedOf ({ function: name, verdict, reason, p99, workMs, cloningMs, measuredAt, how }) {
  const measured = `measured on ${measuredAt.slice(0, 10)} by loopwatch diagnose ${how}`
  if (verdict === 'unknown') return `Whether it pays to move ${name} to a worker thread is unknown: ${reason} (${measured}).`
  const changes = p99.map((/** @type {any} */ { work, beforeMs, afterMs }) => `${work} ${duration(beforeMs)} → ${duration(afterMs)}`)
  const balance = `${duration(cloningMs)} of cloning and messages for ${duration(workMs)} of work`
  return `${name} in a worker thread, predicted: p99 of ${changes.join(', of ')}; ${balance}: ${verdict} (${measured}).`
}
