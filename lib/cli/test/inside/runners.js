'use strict'

const path = require('node:path')
const process = require('../../../util/process')

const MOCHA = /^_?mocha(\.[cm]?js)?$/
const AVA = /[\\/]ava[\\/]lib[\\/]worker[\\/]base\.js$/
const MOCHA_HOOKS = path.join(__dirname, 'mocha-hooks.js')

/**
 * Follows the tests of a runner that runs in this process, or was forked for one.
 * @param {import('./recorder').Recorder} recorder
 */
exports.follow = (recorder) => {
  const script = process.argv[1] ?? ''
  if (MOCHA.test(path.basename(script))) process.argv.splice(2, 0, '--require', MOCHA_HOOKS)
  else if (AVA.test(script)) require('./ava').follow(recorder)
  else if (/[\\/](jest|jest-cli|jest-worker)([\\/]|(\.js)?$)/.test(script)) require('./jest').follow(recorder)
}
