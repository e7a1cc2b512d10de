'use strict'

// Families of generated programs. `grammar` is that of program.js: one hot line in one loop. The others are what it
// lacks: several functions, cheap built-ins around a hot line of JavaScript, and built-ins in the blocks and helpers
// that they stand in in applications.

const { builtIns } = require('./built-ins')
const { decoys } = require('./decoys')
const { functions } = require('./functions')
const { calibrate, tune } = require('../calibrate')
const { draw, kindOf, write } = require('../program')

/**
 * @typedef {import('./parts').Named} Named
 * @typedef {import('./parts').Work} Work
 * @typedef {import('../program').Design} Design
 * @typedef {import('../program').Program} Program
 * @typedef {object} Ready a program of which the truth is certain
 * @property {{ kind: string, form: string, index: number }} design @property {Design['place']} place
 * @property {Program} program @property {number} share of the marked line
 * @property {number} next share of the next largest line
 * @property {string[]} cause @property {string | null} owner
 */

/** Part of the time below which other lines may be the cause of a block. */
const MOST = 0.75
/** Largest sizes: turns of a loop, and items of data, of which there are copies. */
const [MOST_TURNS, MOST_ITEMS] = [1e8, 2 ** 20]

/**
 * @param {string} folder @param {Named} design @param {import('../calibrate').Plan['write']} written
 * @param {import('../calibrate').Part[]} parts @param {{ cause: string[], others?: string[] }} causes
 * @returns {Promise<Ready | null>}
 */
async function ready (folder, design, written, parts, causes) {
  const { blockMs, place } = design
  const found = await tune({ parts, blockMs, isOnce: design.form === 'once', write: written }, folder)
  if (found === null) return null
  const { sizes, ...shares } = found
  const { cause, others = [] } = causes
  const right = shares.share < MOST ? [...cause, ...others] : cause
  return { design, place, program: written(sizes), ...shares, cause: right, owner: null }
}

/** @param {Work} work */
const partOf = ({ kind, aimMs }) =>
  ({ aimMs, from: kind.from ?? (kind.statement ? 100 : 1), most: kind.statement ? MOST_TURNS : MOST_ITEMS })

/** @type {Record<string, (seed: number, index: number, folder: string) => Promise<Ready | null>>} */
exports.families = {
  async grammar (seed, index, folder) {
    const design = draw(seed, index)
    const found = await calibrate(design, folder)
    if (found === null) return null
    const kind = kindOf(design)
    const owner = kind.owner === undefined ? kind.package?.name ?? null : kind.owner
    const { sizes, ...shares } = found
    return { design, place: design.place, program: write(design, sizes), ...shares, cause: kind.cause, owner }
  },
  functions (seed, index, folder) {
    const design = functions.draw(seed, index)
    const [{ kind: { cause } }, ...others] = design.works
    const causes = { cause, others: others.flatMap(({ kind }) => kind.cause) }
    return ready(folder, design, (...how) => functions.write(design, ...how), design.works.map(partOf), causes)
  },
  decoys (seed, index, folder) {
    const design = decoys.draw(seed, index)
    const parts = [{ aimMs: design.aimMs, from: 100, most: MOST_TURNS }]
    const causes = { cause: ['js', 'gc'], others: ['native'] }
    return ready(folder, design, (...how) => decoys.write(design, ...how), parts, causes)
  },
  'built-ins' (seed, index, folder) {
    const design = builtIns.draw(seed, index)
    const [{ kind: { cause } }] = design.works
    return ready(folder, design, (...how) => builtIns.write(design, ...how), design.works.map(partOf), { cause })
  }
}
