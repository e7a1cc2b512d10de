'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { gzipSync } = require('node:zlib')

const MAIL_MS = 100
const PIXELS = 12_000_000
const REPORT_BYTES = 24_000_000

/** Talks to a mail server, and waits for it for most of the time: it blocks nobody, and others keep it waiting. */
exports.sendMail = async function sendMail () {
  await sleep(MAIL_MS)
}

/** Every pixel on the event loop. */
exports.resizePhoto = function resizePhoto () {
  let sum = 0
  for (let i = 0; i < PIXELS; i++) sum += Math.sqrt(i) * Math.sin(i)
  return sum
}

/** The whole report at once, in a native call that does not return before it is done. */
exports.compressReport = function compressReport () {
  return gzipSync(Buffer.alloc(REPORT_BYTES, 'date,product,quantity,price\n')).length
}
