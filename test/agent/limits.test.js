'use strict'

// runtime: address space and threads that V8 and libuv take
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const path = require('node:path')

const START = `require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start({ port: 0, profile: 'on', log: false })`
const skip = process.platform !== 'linux' && 'such limits are those of Linux'

/** A block, then work for libuv's pool. */
const APP = `
  setTimeout(() => { for (const end = Date.now() + 120; Date.now() < end;); }, 150)
  setTimeout(() => require('node:fs').readFile(process.execPath, { length: 1 }, () => {}), 500)
  setTimeout(() => console.log('ok'), 900)`

/**
 * Runs Node.js below a limit. Root may start as many threads as it likes, so a user without processes runs it.
 * @param {string} limit of the shell's ulimit @param {string[]} args
 */
function runBelow (limit, args) {
  const user = `${30000 + process.pid % 30000}`
  const asUser = process.getuid?.() === 0 ? ['setpriv', '--reuid', user, '--regid', user, '--clear-groups'] : []
  const command = ['bash', '-c', `ulimit ${limit} || exit 99; exec "$0" "$@"`, process.execPath, ...args]
  const [file, ...rest] = [...asUser, ...command]
  return spawnSync(file, rest, { encoding: 'utf8', timeout: 60000 })
}

/** @param {string} name of a field of /proc/self/status */
const bare = (name) => Number(runBelow('-c 0', ['-p', `/${name}:\\s+(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status'))[1]`]).stdout)

const WARNING = /LOOPWATCH_WARN_WATCHDOG.*only \d+ /

for (const [name, spare] of /** @type {const} */ ([['400 MB', 400], ['600 MB', 600]])) {
  test(`${name} of address space above what Node.js takes: an application with the agent runs on`, { skip }, () => {
    const limit = `-v ${bare('VmSize') + spare * 1024}`
    const { status, stdout, stderr } = runBelow(limit, ['-e', `${START}\n${APP}`])
    assert.deepEqual({ status, stdout }, { status: 0, stdout: 'ok\n' }, stderr)
    assert.match(stderr, WARNING)
  })
}

for (const spare of [1, 4, 6, 8, 10]) {
  test(`${spare} threads above what Node.js starts: an application with the agent runs on`, { skip }, (t) => {
    // On a developer's machine the user has other processes, which count.
    if (process.getuid?.() !== 0) return t.skip('needs a user without processes')
    const { status, stdout, stderr } = runBelow(`-u ${bare('Threads') + spare}`, ['-e', `${START}\n${APP}`])
    // libuv's pool takes four threads of the application itself.
    if (spare >= 4) assert.deepEqual({ status, stdout }, { status: 0, stdout: 'ok\n' }, stderr)
    if (spare < 8) assert.match(stderr, WARNING)
  })
}

test('an application that does not use the thread pool of libuv gets no threads of it', { skip }, (t) => {
  if (Number.parseInt(process.versions.node, 10) < 22) return t.skip('threads have no names')
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', `${START}
    const fs = require('node:fs')
    const work = setInterval(() => { for (const end = Date.now() + 10; Date.now() < end;); }, 20)
    setTimeout(() => {
      const names = fs.readdirSync('/proc/self/task').map((tid) => fs.readFileSync('/proc/self/task/' + tid + '/comm', 'latin1').trim())
      console.log(names.filter((name) => name === 'libuv-worker').length)
      clearInterval(work)
    }, 2000)`], { encoding: 'utf8' })
  assert.equal(stdout, '0\n', stderr)
})
