'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { eventually } = require('./app')

exports.NO_GROUPS = 'control groups are needed, which only root may make'

const PERIOD_US = 100_000

/**
 * What limits a group, by the folder of version 1 or 2.
 * @type {Record<'cpu' | 'memory', Record<string, (limit: number) => Record<string, string>>>}
 */
const LIMITS = {
  cpu: {
    '/sys/fs/cgroup/cpu': (cpus) => ({ 'cpu.cfs_period_us': `${PERIOD_US}`, 'cpu.cfs_quota_us': `${cpus * PERIOD_US}` }),
    '/sys/fs/cgroup': (cpus) => ({ 'cpu.max': `${cpus * PERIOD_US} ${PERIOD_US}` })
  },
  memory: {
    '/sys/fs/cgroup/memory': (bytes) => ({ 'memory.limit_in_bytes': `${bytes}` }),
    '/sys/fs/cgroup': (bytes) => ({ 'memory.max': `${bytes}` })
  }
}

/**
 * A control group like that of a container, gone with its processes when the test is over; null if this user may not
 * make one.
 * @param {import('node:test').TestContext} t @param {'cpu' | 'memory'} kind @param {number} limit CPUs, or bytes
 * @returns {{ command: string[] } | null} what to put before a command that is to run in it
 */
exports.makeGroup = (t, kind, limit) => {
  for (const [root, files] of Object.entries(LIMITS[kind])) {
    const folder = path.join(root, `loopwatch-test-${process.pid}`)
    try {
      fs.mkdirSync(folder)
    } catch {
      continue
    }
    t.after(() => remove(folder))
    try {
      for (const [name, text] of Object.entries(files(limit))) fs.writeFileSync(path.join(folder, name), text)
      return { command: ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder] }
    } catch {
      // The controller belongs to the other version.
    }
  }
  return null
}

/** @param {string} folder */
async function remove (folder) {
  const pids = fs.readFileSync(path.join(folder, 'cgroup.procs'), 'utf8').match(/\d+/g) ?? []
  for (const pid of pids) process.kill(Number(pid), 'SIGKILL')
  await eventually(() => {
    try { fs.rmdirSync(folder) } catch { return false }
    return true
  }, 'the control group to be gone')
}
