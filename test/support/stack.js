'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { eventually, startNode, FIXTURES } = require('./app')
const { makeDir } = require('./files')

const MAIN = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')

/**
 * `loopwatch stack` with its temporary files in a folder of the test's.
 * @param {import('node:test').TestContext} t
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, main?: string }} [options]
 */
exports.startStack = (t, args, { env = {}, main = MAIN } = {}) => {
  const temporary = makeDir(t)
  const stack = startNode(t, [main, 'stack', ...args], { env: { TMPDIR: temporary, ...env } })
  return {
    ...stack,
    /** What it says when all of it runs. */
    running: () => eventually(() => /^ {2}end /m.test(stack.out.stdout) && {
      prometheusUrl: /** @type {RegExpExecArray} */ (/Prometheus +(\S+)\/graph/.exec(stack.out.stdout))[1],
      grafana: /** @type {RegExpExecArray} */ (/Grafana +(.*)/.exec(stack.out.stdout))[1]
    }, () => `the stack; it said ${stack.out.stdout}${stack.out.stderr}`, 60000),
    /** The folders it has left. */
    left: () => fs.readdirSync(temporary).filter((name) => name.startsWith('loopwatch-stack-'))
  }
}

/**
 * A folder of stand-ins for Prometheus and Grafana, to be the PATH.
 * @param {import('node:test').TestContext} t
 * @param {string[]} names
 */
exports.fakeTools = (t, names) => {
  const home = makeDir(t)
  const bin = path.join(home, 'bin')
  const records = path.join(home, 'records')
  for (const folder of [bin, records, path.join(home, 'conf')]) fs.mkdirSync(folder)
  fs.writeFileSync(path.join(home, 'conf', 'defaults.ini'), '')
  for (const name of names) {
    fs.writeFileSync(path.join(bin, name), `#!${process.execPath}\nrequire(${JSON.stringify(path.join(FIXTURES, 'fake-tool.js'))})\n`, { mode: 0o755 })
  }
  return {
    home: fs.realpathSync(home),
    env: { PATH: bin, FAKE_RECORDS: records },
    /** How one was started. @param {string} name */
    record: (name) => JSON.parse(fs.readFileSync(path.join(records, `${name}.json`), 'utf8')),
    /** @param {string} name */
    wasStarted: (name) => fs.existsSync(path.join(records, `${name}.json`))
  }
}

/** @param {number} pid */
exports.isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
