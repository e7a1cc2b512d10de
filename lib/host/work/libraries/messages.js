'use strict'

const { pathOf } = require('../http/context')
const { pathTemplate } = require('../http/path-template')

// Brokers and sockets. None of them publishes on a diagnostics channel.

/** The path that a WebSocket was opened at, by socket. @type {WeakMap<object, string>} */
const paths = new WeakMap()

/** @type {import('./index').Library[]} */
exports.messages = [
  {
    // A batch may take several messages, each of them a piece of work.
    file: ['kafkajs', 'src', 'consumer', 'runner.js'],
    attach: ({ prototype }, naming) => naming.before(prototype, ['processEachMessage', 'processEachBatch'], (runner) => {
      runner.eachMessage = naming.named(runner.eachMessage, ([{ topic }]) => message(`kafka ${topic}`))
      runner.eachBatch = naming.named(runner.eachBatch, ([{ batch }]) => message(`kafka ${batch.topic}`))
    })
  },
  {
    // The default exchange routes by the queue's name; there may be as many other routing keys as messages.
    file: ['amqplib', 'lib', 'channel.js'],
    attach: ({ BaseChannel }, naming) => naming.calls(BaseChannel.prototype, ['dispatchMessage'],
      (_, [{ exchange, routingKey }, content]) => content === null ? null : message(`amqp ${exchange || routingKey}`))
  },
  {
    file: ['ws', 'lib', 'websocket-server.js'],
    attach: ({ prototype }, naming) => naming.before(prototype, ['completeUpgrade'], (_, args) => {
      const last = args.length - 1
      const onDone = args[last]
      args[last] = (/** @type {object} */ socket, /** @type {import('node:http').IncomingMessage} */ request) => {
        paths.set(socket, pathTemplate(pathOf(/** @type {string} */ (request.url))))
        onDone(socket, request)
      }
    })
  },
  {
    file: ['ws', 'lib', 'websocket.js'],
    attach: ({ prototype }, naming) => naming.calls(prototype, ['emit'], (socket, [event]) => {
      if (event !== 'message' || !socket._isServer) return null
      const path = paths.get(socket)
      return { ...message(path === undefined ? 'ws' : `ws ${path}`), isOpen: true }
    })
  },
  {
    file: ['socket.io', 'dist', 'typed-events.js'],
    attach: ({ StrictEventEmitter }, naming) => naming.calls(StrictEventEmitter.prototype, ['emitUntyped'],
      ({ nsp }, [event]) => typeof event === 'string' && typeof nsp?.name === 'string'
        ? { ...message(`socket.io ${nsp.name === '/' ? '' : `${nsp.name} `}${event}`), isOpen: true }
        : null)
  }
]

/** @param {string} name @returns {import('./library-naming').Known} */
function message (name) {
  return { kind: 'message', name }
}
