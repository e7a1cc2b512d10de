'use strict'

const fs = require('node:fs')
const net = require('node:net')
const { prepareFolder, sweepFolder } = require('./address')
const { Timer } = require('./timer')

const RETRY_MS = 5000
/** How often the socket's file is checked: cleaners of temporary folders may delete it. */
const CHECK_MS = 5000

/** Listens at the cluster's address. Takes over a file that a dead process left, and makes a deleted file again. */
class Listener {
  #address
  #handlers
  /** @type {net.Server | null} */
  #server = null
  #timer = new Timer()

  /**
   * @param {string} address
   * @param {{ onSocket: (socket: net.Socket) => void, onState: (error: Error | null) => void }} handlers
   */
  constructor (address, handlers) {
    this.#address = address
    this.#handlers = handlers
    this.#listen()
  }

  #listen () {
    const unsafe = prepareFolder(this.#address)
    if (unsafe !== null) return this.#fail(unsafe)
    sweepFolder(this.#address)
    const server = net.createServer((socket) => this.#handlers.onSocket(socket))
    server.on('listening', () => {
      this.#handlers.onState(null)
      // A named pipe is no file.
      if (process.platform !== 'win32') this.#timer.set(CHECK_MS, () => this.#check())
    })
    server.on('error', (error) => this.#fail(error))
    server.listen({ path: this.#address, exclusive: true })
    this.#server = server
  }

  #check () {
    if (fs.existsSync(this.#address)) return this.#timer.set(CHECK_MS, () => this.#check())
    // Closing the server keeps its connections open.
    this.#server?.close()
    this.#listen()
  }

  /** @param {Error} error */
  #fail (error) {
    if (this.#timer.isClosed) return
    this.#handlers.onState(error)
    this.#timer.set(RETRY_MS, () => this.#listen())
  }

  close () {
    this.#timer.close()
    this.#server?.close()
  }
}

exports.Listener = Listener
