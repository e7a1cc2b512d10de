'use strict'

const fs = require('node:fs')
const net = require('node:net')
const { prepareFolder, sweepFolder } = require('./address')

/** How often a listener that failed tries again, and checks its file: cleaners of temporary folders may delete it. */
const CHECK_MS = 5000

/** Listens at the cluster's address. Takes over a file that an earlier process left, and makes a deleted file again. */
class Listener {
  #address
  #onState
  #server
  #timer = setInterval(() => this.#check(), CHECK_MS)

  /**
   * @param {string} address
   * @param {{ onSocket: (socket: net.Socket) => void, onState: (error: Error | null) => void }} handlers
   */
  constructor (address, { onSocket, onState }) {
    this.#address = address
    this.#onState = onState
    this.#server = net.createServer(onSocket).on('listening', () => onState(null)).on('error', onState)
    this.#listen()
  }

  #listen () {
    const unsafe = prepareFolder(this.#address)
    if (unsafe !== null) return this.#onState(unsafe)
    sweepFolder(this.#address)
    this.#server.listen({ path: this.#address, exclusive: true })
  }

  #check () {
    // A named pipe is not a file.
    if (this.#server.listening && (process.platform === 'win32' || fs.existsSync(this.#address))) return
    // Closing the server keeps its connections open.
    this.#server.close()
    this.#listen()
  }

  close () {
    clearInterval(this.#timer)
    this.#server.close()
  }
}

exports.Listener = Listener
