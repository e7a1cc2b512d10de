'use strict'

const fs = require('node:fs')
const net = require('node:net')
const { prepareFolder, sweepFolder } = require('./address')
const { Alarm } = require('../util/timer')

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
  #alarm = new Alarm()

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
      if (process.platform !== 'win32') this.#alarm.set(CHECK_MS, () => this.#check())
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
      if (this.#alarm.isClosed) return
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
      this.#alarm.set(CHECK_MS, () => this.#check())
      return
    }
    // Those who are connected stay so.
    this.#server?.close()
    this.#listen()
  }

  /** @param {Error} error */
  #fail (error) {
    if (this.#alarm.isClosed) return
    this.#handlers.onState(error)
    this.#alarm.set(RETRY_MS, () => this.#listen())
  }

  close () {
    this.#alarm.close()
    this.#server?.close()
  }
}

exports.Listener = Listener
