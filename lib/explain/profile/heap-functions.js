'use strict'

const { blamedFrame } = require('../frame')
const { frameOf } = require('./stacks')
const { addTo, sumOf } = require('../../util/statistics')

/** @import { Frame, MemoryShare } from '../../types' */

/** Functions of a profile in a record. */
const MOST = 3
/** Share of the memory from which on a function is named. */
const LEAST_SHARE = 0.05
/** Samples of which a share is taken: with fewer, it is off by more than a fifth. */
const LEAST_SAMPLES = 20
/** Share of the samples that are older than the collection after which the profile ends, a second later at most. */
const OLD_SHARE = 0.75
/** Memory of Node.js and V8 themselves, below no other code: the text of null. */
const NOBODY = 'null'

/**
 * @typedef {{ id: number, callFrame: any, children: HeapNode[] }} HeapNode
 * @typedef {{ ordinal: number, nodeId: number, size: number }} HeapSample ordinal: its number since the start
 */

/** Samples of objects that a collection of the whole heap has met. @param {HeapSample[]} samples */
function lasting (samples) {
  const newest = samples.reduce((most, { ordinal }) => Math.max(most, ordinal), 0)
  return samples.filter(({ ordinal }) => ordinal <= newest * OLD_SHARE)
}

/**
 * The functions with most of the memory of a heap profile, none if it has too few samples. V8 counts the memory of
 * inlined functions for their callers, and knows of a function only where it begins.
 * @param {string} text of V8's sampling heap profile @param {boolean} isKept what stayed in use
 * @param {(frame: Frame) => Frame} original with its name, before source maps @returns {MemoryShare[]}
 */
exports.heaviestFunctions = (text, isKept, original) => {
  /** @type {{ head: HeapNode, samples: HeapSample[] }} */
  const { head, samples } = JSON.parse(text)
  const counted = isKept ? lasting(samples) : samples
  if (counted.length < LEAST_SAMPLES) return []
  /** @type {Map<number, string>} */
  const functions = new Map()
  const visit = (/** @type {HeapNode} */ node, /** @type {Frame[]} */ callers) => {
    const frames = [frameOf(node), ...callers]
    functions.set(node.id, JSON.stringify(blamedFrame(frames)))
    for (const child of node.children) visit(child, frames)
  }
  visit(head, [])
  const bytes = new Map()
  for (const { nodeId, size } of counted) addTo(bytes, functions.get(nodeId) ?? NOBODY, size)
  const allBytes = sumOf(counted, 'size')
  return [...bytes]
    .filter(([text, of]) => text !== NOBODY && of >= LEAST_SHARE * allBytes)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST)
    .map(([text, of]) => ({ ...original(JSON.parse(text)), share: Math.round(of / allBytes * 1000) / 1000 }))
}
