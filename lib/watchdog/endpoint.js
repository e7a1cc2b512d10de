'use strict'

const { HttpServer } = require('../export/http/server')
const { makePaths } = require('../export/http/paths')

const LAST_PORT = 65535

/** Where the endpoint is: opened and closed as the process's part in a cluster asks for, and announced in the log. */
class Endpoint {
  #parts
  /** @type {HttpServer | null} */
  #server = null

  /**
   * @param {object} parts
   * @param {import('../options/table').ResolvedOptions} parts.options
   * @param {import('../export/log/log').BlockLog | null} parts.log
   * @param {Parameters<typeof makePaths>[0]} parts.sources
   * @param {(error: Error | null) => void} parts.onState
   * @param {(url: string | null) => void} parts.onListening null: there is none
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {0 | 1} [above] the configured port */
  listen (above = 0) {
    const { options, sources, onState, onListening } = this.#parts
    const { port: configured, host, token, allowHosts } = options
    if (configured === false) {
      onListening(null)
      return
    }
    const port = configured === 0 ? 0 : Math.min(configured + above, LAST_PORT)
    this.#server = new HttpServer({
      options: { host, port, token, allowHosts },
      paths: makePaths(sources),
      onState: (url, error) => {
        onState(error)
        if (url !== null) this.#announce(url, port)
        onListening(url)
      }
    })
  }

  /** @param {string} url @param {number} port as configured */
  #announce (url, port) {
    const { log } = this.#parts
    const isOther = port !== 0 && Number(new URL(url).port || 80) !== port
    if (isOther) log?.say('warn', { event: 'listening', url, port }, `watching, port ${port} is taken: endpoint at ${url}`)
    else log?.say('info', { event: 'listening', url }, `watching, endpoint at ${url}`)
  }

  close () {
    this.#server?.close()
    this.#server = null
  }
}

exports.Endpoint = Endpoint
