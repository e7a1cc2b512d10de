'use strict'

const { watchModules } = require('../http/frameworks/modules')
const { pathOf } = require('../http/context')
const { pathTemplate } = require('../http/path-template')
const { wrapMethod } = require('./wrapped-method')

/**
 * @typedef {object} Known what a call of a library is
 * @property {import('./work').WorkKind} kind
 * @property {string} name
 * @property {boolean} [isPart] of what is being worked on
 * @property {boolean} [isOpen] nobody tells when it is over: listeners may be asynchronous
 *
 * @typedef {object} Row the method of a library that each piece of work goes through
 * @property {string[]} file the end of its name
 * @property {(exports: any) => any} owner of the method
 * @property {string[]} methods that it goes through one of
 * @property {(self: any, args: any[]) => Known | null} describe null where this call is none
 */

/** The path that a WebSocket was opened at, by socket. @type {WeakMap<object, string>} */
const paths = new WeakMap()

/** @type {Row[]} */
const rows = [
  {
    file: ['bullmq', 'dist', 'cjs', 'classes', 'worker.js'],
    owner: ({ Worker }) => Worker.prototype,
    methods: ['callProcessJob'],
    describe: (_, [{ queueName, name }]) => ({ kind: 'job', name: `${queueName}:${name}` })
  },
  {
    file: ['kafkajs', 'src', 'consumer', 'runner.js'],
    owner: ({ prototype }) => prototype,
    methods: ['processEachMessage', 'processEachBatch'],
    describe: (_, [{ topic }]) => ({ kind: 'message', name: `kafka ${topic}` })
  },
  {
    // The default exchange routes by the queue's name; other routing keys may be as many as there are messages.
    file: ['amqplib', 'lib', 'channel.js'],
    owner: ({ BaseChannel }) => BaseChannel.prototype,
    methods: ['dispatchMessage'],
    describe: (_, [{ exchange, routingKey }, message]) =>
      message === null ? null : { kind: 'message', name: `amqp ${exchange || routingKey}` }
  },
  {
    file: ['graphql', 'execution', 'execute.js'],
    owner: (exports) => exports,
    methods: ['execute'],
    describe: (_, [{ document, operationName }]) =>
      ({ kind: 'operation', name: operationOf(document, operationName), isPart: true })
  },
  {
    file: ['ws', 'lib', 'websocket-server.js'],
    owner: ({ prototype }) => prototype,
    methods: ['emit'],
    describe: (_, [event, socket, request]) => {
      if (event === 'connection') paths.set(socket, pathTemplate(pathOf(request.url)))
      return null
    }
  },
  {
    file: ['ws', 'lib', 'websocket.js'],
    owner: ({ prototype }) => prototype,
    methods: ['emit'],
    describe: (socket, [event]) => {
      if (event !== 'message' || !socket._isServer) return null
      const path = paths.get(socket)
      return { kind: 'message', name: path === undefined ? 'ws' : `ws ${path}`, isOpen: true }
    }
  },
  {
    file: ['socket.io', 'dist', 'typed-events.js'],
    owner: ({ StrictEventEmitter }) => StrictEventEmitter.prototype,
    methods: ['emitUntyped'],
    describe: ({ nsp }, [event]) => typeof event === 'string' && typeof nsp?.name === 'string'
      ? { kind: 'message', name: `socket.io ${nsp.name === '/' ? '' : `${nsp.name} `}${event}`, isOpen: true }
      : null
  }
]

/**
 * The operation of a document by its kind and name. Clients may make names up: they are bounded as labels.
 * @param {any} document
 * @param {unknown} operationName
 */
function operationOf ({ definitions }, operationName) {
  const isAsked = (/** @type {any} */ { kind, name }) =>
    kind === 'OperationDefinition' && (typeof operationName !== 'string' || name?.value === operationName)
  const { operation, name } = definitions.find(isAsked)
  return `${operation} ${name?.value ?? '(anonymous)'}`
}

/**
 * Names the work of libraries that the application has loaded, or will load.
 * @param {import('./works').Works} works
 * @returns {{ stop: () => void }}
 */
exports.startLibraries = (works) => {
  /** @type {(() => void)[]} */
  const stops = []
  const modules = watchModules(rows.map(({ file, owner, methods, describe }) => ({
    file,
    onFound: (/** @type {any} */ exports) => {
      for (const method of methods) {
        const stop = wrapMethod(owner(exports), method, (self, args, call) => {
          const known = described(describe, self, args)
          return known === null ? call() : works.begin(known, call)
        })
        if (stop) stops.push(stop)
      }
    }
  })))
  return {
    stop: () => {
      modules.stop()
      for (const stop of stops) stop()
    }
  }
}

/** @param {Row['describe']} describe @param {any} self @param {any[]} args */
function described (describe, self, args) {
  try {
    return describe(self, args)
  } catch {
    // What it reads is not where this version of the library has it.
    return null
  }
}
