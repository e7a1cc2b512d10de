'use strict'

// Queues and schedulers. None of them publishes on a diagnostics channel.

/** @type {import('./index').Library[]} */
exports.jobs = [
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
      args[1] = { ...args[1], tasks: namedTasks(args[1].tasks, naming) }
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
    file: ['bree', 'src', 'index.js'],
    attach: ({ prototype }, naming) => naming.threads(prototype, ['createWorker'],
      (_, [, { workerData }]) => job(workerData.job.name))
  }
]

/** @param {string} name @returns {import('./library-naming').Known} */
const job = (name) => ({ kind: 'job', name })

/** @param {Record<string, (...args: any[]) => unknown>} tasks @param {import('./library-naming').Naming} naming */
function namedTasks (tasks, naming) {
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, naming.named(task, () => job(name))]))
}

/** Unnamed tasks are named by their expression. @param {any} task @param {import('./library-naming').Naming} naming */
function nameCronTask (task, naming) {
  const { runner, id, name, cronExpression } = task
  if (runner === undefined) return // it runs in a process of its own
  runner.onMatch = naming.named(runner.onMatch, () => job(name === id ? `cron ${cronExpression}` : name))
}
