'use strict'

/**
 * The truth about each block of blocks.js: the causes that are right, the functions that may be
 * blamed, and whether V8 interrupts it (a single native call only once it has returned).
 * @type {Record<string, { cause: string[], frames: string[], answers: boolean }>}
 */
exports.truth = {
  spin: { cause: ['js'], frames: ['spin'], answers: true },
  tightLoop: { cause: ['js'], frames: ['tightLoop'], answers: true },
  catastrophicRegex: { cause: ['js'], frames: ['catastrophicRegex'], answers: true },
  recursion: { cause: ['js'], frames: ['recursion', 'fibonacci'], answers: true },
  sortWithComparator: { cause: ['js'], frames: ['sortWithComparator', 'byWord'], answers: true },
  atomicsWait: { cause: ['sync-io'], frames: ['atomicsWait'], answers: true },
  pbkdf2: { cause: ['native'], frames: ['pbkdf2'], answers: false },
  exec: { cause: ['sync-io'], frames: ['exec'], answers: false },
  // Works by chunks: an interrupt may or may not be answered between two of them.
  gzip: { cause: ['native'], frames: ['gzip'], answers: false },
  // Makes as much garbage as it likes; either may be most of it.
  jsonParse: { cause: ['native', 'gc'], frames: ['jsonParse'], answers: false },
  readFifo: { cause: ['sync-io'], frames: ['readFifo'], answers: false },
  // A pause holds up the answer.
  gcStorm: { cause: ['gc'], frames: ['gcStorm'], answers: false },
  microtaskStorm: { cause: ['js'], frames: ['microtaskStorm', 'microtask', 'fibonacci'], answers: true },
  nextTickStorm: { cause: ['js'], frames: ['nextTickStorm', 'tick', 'fibonacci'], answers: true }
}
