'use strict'

let isListening = false

/** Ends the process without a word once the reader of stdout has enough and closes the pipe: `| head`. */
exports.endWithReader = () => {
  if (isListening) return
  isListening = true
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
