'use strict'

// A block in which the thread sleeps says in which system call, and what it waits for there.
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
/** A shorter one may lose so much of its time beside other tests that it counts as kept waiting for a CPU. */
const HOLD_S = 0.8
const skip = process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)

const APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, threshold: 60, log: { destination: 2 } })
const { execFileSync, execSync, spawn } = require('node:child_process')
const fs = require('node:fs')
const fifo = process.argv[2]
const later = () => spawn('sh', ['-c', 'sleep ${HOLD_S}; echo x > ' + fifo])
const calls = {
  child: () => execFileSync('sleep', ['${HOLD_S}']),
  shell: () => execSync('sleep ${HOLD_S}; echo'),
  open: () => { later(); fs.readFileSync(fifo) },
  // The descriptor stays good when the test has removed the fifo.
  read: () => {
    const fd = fs.openSync(fifo, 'r+')
    spawn('sh', ['-c', 'sleep ${HOLD_S}; echo x >&3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
    fs.readSync(fd, Buffer.alloc(2))
    fs.closeSync(fd)
  },
  wait: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${HOLD_S * 1000}),
  write: () => { later(); fs.writeSync(1, Buffer.alloc(300000)) }
}
// On a busy machine a block may be one of waiting for a CPU: then the thread sleeps again.
const isAsleep = ({ cause, durationMs }) => cause === 'sync-io' && durationMs > ${HOLD_S * 500}
void async function () {
  await agent.ready
  const asleep = new Promise((resolve) => agent.on('block', (block) => isAsleep(block) && resolve()))
  let timer
  const sleepOnce = () => {
    calls[process.argv[1]]()
    timer = setTimeout(sleepOnce, 500)
  }
  timer = setTimeout(sleepOnce, 500)
  setTimeout(() => process.exit(), 50_000).unref()
  await asleep
  clearTimeout(timer)
}()
`

const NODE = process.env.TEST_NODE ?? process.execPath

/**
 * The block of an application that a shell starts.
 * @param {import('node:test').TestContext} t @param {string} script its first argument is the application's Node.js
 * @param {string[]} args of Node.js
 */
async function blockOf (t, script, args) {
  const { out } = startNode(t, ['-c', script, NODE, ...args], { node: '/bin/sh' })
  return eventually(() => settled(out.stderr), () => `a block; the log: ${out.stderr}`)
}

/** @param {string} log */
function settled (log) {
  const lines = log.split('\n').filter((line) => line.startsWith('{') && line.includes('"settled"')).map((line) => JSON.parse(line))
  // The start of the application may sleep for a moment, too.
  return lines.find(({ cause, durationMs }) => cause === 'sync-io' && durationMs > HOLD_S * 500)
}

/** A name server that never answers. The kernel would answer at once for a port that nobody has. */
const DNS_APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, threshold: 60, log: { destination: 2 } })
const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
  require('node:net').connect(server.address().port, '127.0.0.1')
  require('node:dgram').createSocket('udp4').bind(53, '127.0.0.9', async () => {
    await agent.ready
    setTimeout(() => process.report.getReport(), 500)
    setTimeout(() => process.exit(), 4000)
  })
})
`
/** A network and a list of name servers that only the application has. */
const ALONE = 'mount --bind resolv.conf /etc/resolv.conf && ip link set lo up && exec "$0" "$@"'
const mayBeAlone = !skip && spawnSync('unshare', ['-mn', 'ip', 'link', 'set', 'lo', 'up']).status === 0

// The threads sleep, so they take no CPU from each other.
describe('a thread that sleeps', { concurrency: 3 }, () => {
  for (const [name, call, said] of /** @type {[string, string, (fifo: string) => RegExp][]} */ ([
    ['child', 'epoll_wait', () => /^epoll_wait for child process \d+ \(sleep\)$/],
    ['shell', 'epoll_wait', () => /^epoll_wait for child process \d+ \(sh, running sleep\)$/],
    ['open', 'open', (fifo) => new RegExp(`^open of ${fifo}$`)],
    ['read', 'read', (fifo) => new RegExp(`^read of ${fifo}$`)],
    ['wait', 'futex', () => /^futex \(Atomics\.wait or a native wait\)$/],
    ['write', 'write', () => /^write to fd 1 \(pipe\)$/]
  ])) {
    test(`a thread that sleeps in a ${name} says so`, { skip }, async (t) => {
      const fifo = path.join(makeDir(t), 'fifo')
      execFileSync('mkfifo', [fifo])
      // Nobody reads its stdout before the fifo has been written.
      const reader = name === 'write' ? `(cat ${fifo}; cat) > /dev/null` : 'cat > /dev/null'
      const line = await blockOf(t, `"$0" "$@" | ${reader}`, ['-e', APP, name, fifo])
      assert.equal(line.evidence.sleptIn?.call, call, JSON.stringify(line))
      assert.match(line.evidence.sleptIn.text, said(fifo))
      // Each question of the watchdog wakes Atomics.wait, and on a busy machine a child takes long to start.
      assert.ok(line.evidence.sleptIn.share > 0.1, `${line.evidence.sleptIn.share}`)
      assert.ok(line.msg.includes(`, asleep in ${line.evidence.sleptIn.text}`), line.msg)
    })
  }

  test('a report that asks for DNS names says which server it waits for', { skip: !mayBeAlone }, async (t) => {
    const dir = makeDir(t)
    fs.writeFileSync(path.join(dir, 'resolv.conf'), 'nameserver 127.0.0.9\noptions timeout:1 attempts:1\n')
    const line = await blockOf(t, `cd ${dir} && exec unshare -mn sh -c '${ALONE}' "$0" "$@"`, ['-e', DNS_APP])
    assert.equal(line.evidence.sleptIn?.text, 'poll on a UDP socket to 127.0.0.9:53', JSON.stringify(line))
  })
})
