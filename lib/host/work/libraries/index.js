'use strict'

const { watchModules } = require('../http/frameworks/modules')
const { Naming } = require('./library-naming')
const { pathOf, pathTemplate } = require('../http/path-template')

/**
 * @import { Works } from '../works'
 * @import { NamedCall } from './library-naming'
 * @import { IncomingMessage } from 'node:http'
 */

/** The path that a WebSocket was opened at, by socket. @type {WeakMap<object, string>} */
const paths = new WeakMap()

/** @typedef {{ file: string[], attach: (exports: any, naming: Naming) => void }} Library file: the end of its path */

/** @type {Library[]} */
const operations = [{
  file: ['graphql', 'execution', 'execute.js'],
  attach: (exports, naming) => naming.calls(exports, ['execute'], (_, [{ document, operationName }]) =>
    ({ kind: 'operation', name: operationOf(document, operationName), isPart: true }))
}]

/** Labels are bounded, as clients may make names up. @param {any} document @param {unknown} operationName */
function operationOf ({ definitions }, operationName) {
  const isExecuted = (/** @type {any} */ { kind, name }) =>
    kind === 'OperationDefinition' && (typeof operationName !== 'string' || name?.value === operationName)
  const { operation, name } = definitions.find(isExecuted)
  return `${operation} ${name?.value ?? '(anonymous)'}`
}

/** @param {Works} works @param {(message: object) => void} post to the watchdog */
exports.startLibraries = (works, post) => {
  const naming = new Naming(works, post)
  const modules = watchModules([...jobs, ...messages, ...operations].map(({ file, attach }) => ({
    file,
    onModule: (/** @type {any} */ exports) => attach(exports, naming)
  })))
  return {
    stop: () => {
      modules.stop()
      naming.stop()
    }
  }
}

// Queues, schedulers, brokers and sockets. None of them publishes on a diagnostics channel.

/** @type {Library[]} */
const jobs = [
  {
    file: ['bullmq', 'dist', 'cjs', 'classes', 'worker.js'],
    attach: ({ Worker }, naming) => naming.calls(Worker.prototype, ['callProcessJob'],
      (_, [{ queueName, name }]) => ({ kind: 'job', name: `${queueName}:${name}` }))
  },
  {
    file: ['pg-boss', 'src', 'worker.js'],
    attach: ({ prototype }, naming) => naming.before(prototype, ['start'], (worker) => {
      worker.onFetch = naming.named(worker.onFetch, ([jobs]) => jobs.length > 0 ? job(worker.name) : null)
    })
  },
  {
    file: ['graphile-worker', 'dist', 'worker.js'],
    attach: (exports, naming) => naming.before(exports, ['makeNewWorker'], (_, args) => {
      const tasks = Object.entries(/** @type {Record<string, (...args: any[]) => unknown>} */ (args[1].tasks))
        .map(([name, task]) => [name, naming.named(task, () => job(name))])
      args[1] = { ...args[1], tasks: Object.fromEntries(tasks) }
    })
  },
  {
    // A task goes through no method of a class, so the function of each one is wrapped when it starts.
    file: ['node-cron', 'dist', '_shared.cjs'],
    attach: ({ InlineScheduledTask: { prototype } }, naming) =>
      naming.before(prototype, ['start', 'execute'], (task) => nameCronTask(task, naming))
  },
  {
    file: ['node-cron', 'dist', 'node-cron.cjs'],
    attach: ({ getTasks }, naming) => {
      for (const task of getTasks().values()) nameCronTask(task, naming)
    }
  },
  {
    // Also of @nestjs/schedule, which copies fireOnTick into each job, maybe before this; start comes before each tick.
    // A tick does not wait for an async callback, so each callback is wrapped.
    file: ['cron', 'dist', 'job.js'],
    attach: ({ CronJob: { prototype } }, naming) => naming.before(prototype, ['start', 'fireOnTick'], (task) => {
      const name = task.name || (task.runOnce ? 'cron (once)' : `cron ${task.cronTime.source}`)
      task._callbacks = task._callbacks.map((/** @type {any} */ each) => naming.named(each, () => job(name)))
    })
  },
  // The first file is that of agenda up to version 5, the second one since 6: an ES module, seen if require() loads it.
  ...[['job', 'index.js'], ['index.js']].map((end) => /** @type {Library} */ ({
    file: ['agenda', 'dist', ...end],
    attach: ({ Job }, naming) => naming.calls(Job.prototype, ['run'], ({ attrs }) => job(attrs.name))
  })),
  {
    file: ['piscina', 'dist', 'index.js'],
    attach: ({ default: { prototype } }, naming) =>
      naming.pool(prototype, 'run', ({ options, threads }) => [options.filename, threads])
  },
  {
    file: ['bree', 'src', 'index.js'],
    attach: ({ prototype }, naming) => naming.threads(prototype, ['createWorker'],
      (_, [, { workerData }]) => job(workerData.job.name))
  }
]

/** @param {string} name @returns {NamedCall} */
const job = (name) => ({ kind: 'job', name })

/** Tasks without a name get their expression as one. @param {any} task @param {Naming} naming */
function nameCronTask (task, naming) {
  const { runner, id, name, cronExpression } = task
  if (runner === undefined) return // it runs in a process of its own
  runner.onMatch = naming.named(runner.onMatch, () => job(name === id ? `cron ${cronExpression}` : `${name}`))
}

/** @type {Library[]} */
const messages = [
  {
    // A batch may take several messages, each of them a piece of work.
    file: ['kafkajs', 'src', 'consumer', 'runner.js'],
    attach ({ prototype }, naming) {
      naming.before(prototype, ['processEachMessage', 'processEachBatch'], (runner) => {
        runner.eachMessage = naming.named(runner.eachMessage, ([{ topic }]) => message(`kafka ${topic}`))
        runner.eachBatch = naming.named(runner.eachBatch, ([{ batch }]) => message(`kafka ${batch.topic}`))
      })
    }
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
      args[last] = (/** @type {object} */ socket, /** @type {IncomingMessage} */ request) => {
        paths.set(socket, pathTemplate(pathOf(/** @type {string} */ (request.url))))
        onDone(socket, request)
      }
    })
  },
  {
    file: ['ws', 'lib', 'websocket.js'],
    attach: ({ prototype }, naming) => naming.calls(prototype, ['emit'], (socket, [event]) =>
      event === 'message' && socket._isServer ? { ...message(socketName(socket)), isOpen: true } : null)
  },
  {
    // A gateway of NestJS: one message has an event and its handler.
    file: ['@nestjs', 'platform-ws', 'index.js'],
    attach: ({ WsAdapter: { prototype } }, naming) => naming.before(prototype, ['bindMessageHandlers'], (_, args) => {
      const name = socketName(args[0])
      args[1] = args[1].map((/** @type {any} */ handler) => {
        const event = { ...message(`${name} ${handler.message}`), isPart: true }
        return { ...handler, callback: naming.named(handler.callback, () => event) }
      })
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

/** @param {object} socket of ws */
function socketName (socket) {
  const path = paths.get(socket)
  return path === undefined ? 'ws' : `ws ${path}`
}

/** @param {string} name @returns {NamedCall} */
function message (name) {
  return { kind: 'message', name }
}
