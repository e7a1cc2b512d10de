'use strict'

const fs = require('node:fs')
const net = require('node:net')
const { prepareFolder, sweepFolder } = require('./address')

const RETRY_MS = 5000
/** So often the socket's file is looked after: cleaners of temporary folders do not spare every one. */
const CHECK_MS = 5000

/**
 * Listens at the cluster's address, whatever happens to it: a file that a dead process has left is
 * taken over, one that was deleted is made again.
 */
class Listener {
  #address
  #handlers
  /** @type {net.Server | null} */
  #server = null
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #closed = false

  /**
   * @param {string} address
   * @param {{ onSocket: (socket: net.Socket) => void, onState: (error: Error | null) => void }} handlers
   */
  constructor (address, handlers) {
    this.#address = address
    this.#handlers = handlers
    sweepFolder(address)
    this.#listen()
  }

  #listen () {
    const unsafe = prepareFolder(this.#address)
    if (unsafe !== null) {
      this.#fail(unsafe)
      return
    }
    const server = net.createServer((socket) => this.#handlers.onSocket(socket))
    server.on('listening', () => {
      this.#handlers.onState(null)
      // A named pipe is no file.
      if (process.platform !== 'win32') this.#later(CHECK_MS, () => this.#check())
    })
    server.on('error', (/** @type {Error & { code?: string }} */ error) => {
      if (error.code === 'EADDRINUSE') this.#takeOver(error)
      else this.#fail(error)
    })
    server.listen({ path: this.#address, exclusive: true })
    this.#server = server
  }

  /** Only a socket that nobody listens at refuses. @param {Error} error */
  #takeOver (error) {
    const probe = net.connect(this.#address)
    probe.on('connect', () => {
      probe.destroy()
      this.#fail(error)
    })
    probe.on('error', () => {
      if (this.#closed) return
      try {
        fs.unlinkSync(this.#address)
        this.#listen()
      } catch (failure) {
        this.#fail(failure)
      }
    })
  }

  #check () {
    if (fs.existsSync(this.#address)) {
      this.#later(CHECK_MS, () => this.#check())
      return
    }
    // Those who are connected stay so.
    this.#server?.close()
    this.#listen()
  }

  /** @param {Error} error */
  #fail (error) {
    if (this.#closed) return
    this.#handlers.onState(error)
    this.#later(RETRY_MS, () => this.#listen())
  }

  /** @param {number} ms @param {() => void} then */
  #later (ms, then) {
    clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = setTimeout(then, ms)
  }

  close () {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#server?.close()
  }
}

exports.Listener = Listener
