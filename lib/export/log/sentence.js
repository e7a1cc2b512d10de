'use strict'

const path = require('node:path')
const { causes } = require('../../tables/causes')
const { MS_PER_S } = require('../../util/units')

/** Of the name and of the version of a package: far more than any that is in use. */
const PACKAGE_CHARS = 80

/** @param {number} ms */
function duration (ms) {
  return ms >= MS_PER_S ? `${(ms / MS_PER_S).toFixed(1)} s` : `${Math.round(ms)} ms`
}

/**
 * A function with its place, after ≈ where that is not certain: the stack was taken when a native call had returned,
 * perhaps in the function called next.
 * @param {(import('../../types').Frame & { exact?: boolean }) | null} frame
 */
function place (frame) {
  if (frame === null) return null
  return `${frame.exact === false ? '≈ ' : ''}${frame.function ?? '(anonymous)'} (${path.basename(frame.file ?? '')}:${frame.line})`
}

/** @param {string} text */
function cut (text) {
  return text.length > PACKAGE_CHARS ? `${text.slice(0, PACKAGE_CHARS - 1)}…` : text
}

/** @param {import('../../types').PackageRecord} found */
function nameOf ({ name, version }) {
  return version ? `${cut(name)}@${cut(version)}` : cut(name)
}

/**
 * A block in one sentence.
 * @param {import('../../types').BlockRecord} record
 */
exports.describe = (record) => printable(sentence(record))

/** @param {import('../../types').BlockRecord} record */
function sentence ({ thread, threadId, durationMs, ongoing, startup, cause, frame, package: found, request, samples, origin, profile, probable, generated }) {
  // Records on disk of versions that watched the main thread alone have no id.
  const loop = threadId ? `event loop of worker thread ${thread}` : 'event loop'
  const how = ongoing ? `blocked for ${duration(durationMs)} so far` : `was blocked for ${duration(durationMs)}`
  const when = startup ? ' at start-up' : ''
  // Of a later version it may be one that is not known here.
  const excuse = Object.hasOwn(causes, cause) ? causes[cause].excuse : undefined
  if (excuse !== undefined) return `${loop} ${how}${when}: ${excuse} (${cause})`
  const none = threadId ? "no stack taken (threads: 'on' asks for one)" : 'no stack taken'
  const silent = cause === 'native' || cause === 'sync-io' ? 'inside a call that does not answer before it returns' : none
  const call = profile?.call ? `${profile.call}${frame?.exact === false ? ',' : ' in'} ` : ''
  const made = generated ? `generated code ${place(generated)} run by ` : ''
  const guess = probable ? `, probably ${probable.call} in line ${probable.line}` : ''
  const where = frame !== null ? `${made === '' ? call : made}${place(frame)}${guess}` : (samples === 0 ? silent : 'outside application code')
  const within = found ? `, in ${nameOf(found)}` : ''
  const who = request === null ? '' : `, ${request.ended ? 'after ' : ''}${request.method} ${request.route}`
  // Records of an earlier version, read from files, have none.
  const created = origin ? `, created at ${place(origin.frame)}` : ''
  return `${loop} ${how}${when}: ${where}${within}${who}${created} (${cause})`
}

/** Names come from files and from what clients send: none may give orders to a terminal. @param {string} text */
function printable (text) {
  return text.replace(/\p{Cc}/gu, '\uFFFD')
}

exports.nameOf = nameOf
exports.place = place
exports.printable = printable
