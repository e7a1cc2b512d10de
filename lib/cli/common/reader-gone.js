'use strict'

let isListening = false

/** `| head` closes the pipe when it has enough: the process then ends without a word. */
exports.endWithReader = () => {
  if (isListening) return
  isListening = true
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
