'use strict'

// For guards.js --check: files of lib/explain in which each part of each condition must change the record of at least
// one recorded block, and parts that need not.

/** Paths below lib/explain. @type {string[]} */
exports.files = ['place/points.js']

/**
 * Parts that change no recorded block, with the reason why they stay. `was` and `is` are as guards.js prints them.
 * @type {{ file: string, was: string, is: string, reason: string }[]}
 */
exports.accepted = [
  {
    file: 'place/points.js',
    was: 'samples === 0 ? alone : weight',
    is: '(weight)',
    reason: 'nearly all recorded blocks have a profile; without one, answers have more weight'
  }
]
