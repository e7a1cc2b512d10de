'use strict'

const process = require('../../../util/process')

/** @import { Recorder } from './recorder' */

/** @typedef {{ ava?: { type: string, options?: { file?: string } } }} Message between AVA and its process */

/** AVA has no hook for the tests of a file, and starts them at once: they have no names. @param {Recorder} recorder */
exports.follow = (recorder) => {
  const { send } = process
  if (send === undefined) return
  const channel = /** @type {NodeJS.EventEmitter} */ (process)
  const forward = (/** @type {any[]} */ message) => Reflect.apply(send, process, message)
  const begin = (/** @type {Message} */ { ava }) => { recorder.begin(null, ava?.options?.file) }
  process.send = (/** @type {any[]} */ ...message) => {
    // AVA answers with the name of the file. Then its tests begin.
    if (message[0]?.ava?.type === 'ready-for-options') channel.prependOnceListener('message', begin)
    return forward(message)
  }
}
