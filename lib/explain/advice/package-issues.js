'use strict'

const { weightOf } = require('../frame')
const { ownerOf, packageFolderOf, packageNameOf } = require('../../util/code-owner')

/**
 * @import { BlockRecord, Frame, PackageIssue } from '../../types'
 * @import { Sampled } from '../package'
 */

/**
 * @typedef {object} Row of known.json
 * @property {string} package
 * @property {string} range of affected versions: `>=3.0.0 <3.15.0 || >=4.0.0 <4.3.0`, the upper bounds are fixed
 * @property {string} function on the stack while it is slow, without its class
 * @property {string} text a sentence that says what is slow
 * @property {string} [cure] where no version is the cure
 * @property {string} id of the advisory or issue @property {string} link to it
 * @property {true | string} checked by a program of scenarios/known; else by this text
 */

/** Versions are numbers here: a prerelease is in no range, as for npm. */
const RELEASE = /^\d+\.\d+\.\d+$/

/** @param {string} a @param {string} b */
const isBelow = (a, b) => a.localeCompare(b, 'en', { numeric: true }) < 0

/**
 * The version that ends the part of the range with this version: empty if the part has no end.
 * @param {string} version @param {string} range @returns {string | undefined} undefined if it is in no part
 */
exports.fixIn = (version, range) => RELEASE.test(version)
  ? range.split(' || ').map((part) => part.replace('>=', '').split(' <'))
    .find(([from, fixed]) => !isBelow(version, from) && (!fixed || isBelow(version, fixed)))?.concat('')[1]
  : undefined

/**
 * The first row whose function ran for half of the time in an affected version, without calling back the application.
 * The table is loaded here, when a package has blocked.
 * @param {Sampled[]} sampled the more reliable first @param {(folder: string) => BlockRecord['package']} packageIn
 * @returns {PackageIssue | null}
 */
exports.packageIssueIn = (sampled, packageIn) => {
  const rows = /** @type {Row[]} */ (require('./known.json'))
  return sampled.flatMap((each) => rows.map((row) => issueIn(row, each, packageIn))).find(Boolean) ?? null
}

/** @param {Row} row @param {Sampled} sampled @param {(folder: string) => BlockRecord['package']} packageIn */
function issueIn ({ function: name, range, checked, ...row }, { stacks, total }, packageIn) {
  const isOf = (/** @type {Frame} */ frame) =>
    frame.function?.split(/[. ]/).at(-1) === name && packageNameOf(`${frame.file}`) === row.package
  const running = stacks.flatMap(({ weightMs, frames }) => {
    const frame = frames.find((each) => isOf(each) || ownerOf(each) === 'application')
    return frame && isOf(frame) ? { weightMs, file: `${frame.file}` } : []
  })
  if (running.length === 0 || weightOf(running) * 2 < total) return null
  const version = packageIn(`${packageFolderOf(running[0].file)}`)?.version ?? ''
  const fixed = exports.fixIn(version, range)
  return fixed === undefined ? null : { ...row, version, ...(fixed !== '' && { fixed }) }
}
