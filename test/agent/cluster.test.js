'use strict'

// Takes a minute: sixteen clusters of three to five processes, some of which are restarted or killed.
// Real clusters of node:cluster: one endpoint in the primary, whatever is blocked or dead.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { isAlive } = require('../../lib/util/processes')
const { startCluster } = require('../support/cluster')
const { eventually, FIXTURES, startApp, startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { parseExposition, valueOf } = require('../support/exposition')
const { needs } = require('../support/tools')

/** @typedef {import('../support/exposition').Sample} Sample */

/** @param {Sample[]} samples @param {string} name @param {Record<string, string>} labels */
const sum = (samples, name, labels) =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
    )
    .reduce((total, { value }) => total + value, 0)

/** @param {Sample[]} samples @param {string | number} worker */
const blocksOf = (samples, worker) => sum(samples, 'loopwatch_block_duration_seconds_count', { worker: `${worker}` })

/** Which slot a worker's block came under. @param {any} app @param {number} pid */
const slotOf = async (app, pid) => (await app.json('/blocks')).find((/** @type {any} */ record) => record.pid === pid && record.worker !== null)?.worker

test('a cluster has one endpoint, with every worker under its number and sums that are right', async (t) => {
  const app = await startCluster(t, { workers: 3 })
  // On a busy machine a worker may listen itself until it joins.
  const own = app.joined().map(({ url }) => url).filter((url) => url !== app.url)
  for (const url of own) await eventually(() => fetch(url).then(() => false, () => true), `${url} to close`)
  assert.equal(app.lines().filter(({ event }) => event === 'listening').length, 1 + own.length)
  const pids = new Set()
  for (let i = 0; i < 9; i++) pids.add(await app.get('/orders/17?ms=120'))
  assert.equal(pids.size, 3, 'the application gave work to all three')
  const route = '/orders/:id'
  // On a busy machine, a block may begin long before its request does: it then names no request of its own.
  const isOfRoute = (/** @type {any} */ record) =>
    (record.works ?? [record]).some((/** @type {any} */ { request }) => request?.route === route)
  const blocks = await eventually(async () => {
    const list = (await app.json('/blocks')).filter((/** @type {any} */ record) => isOfRoute(record) && !record.ongoing)
    return list.length === 9 && list
  }, async () => `nine blocks at the primary: ${JSON.stringify(await app.json('/blocks'))}`)
  assert.deepEqual([...new Set(blocks.map((/** @type {any} */ { worker }) => worker))].sort(), [1, 2, 3])
  // A block is counted when its verdict has settled, a little later. Whatever else this machine made
  // of it (a startup is a block too) is in blocks as in metrics.
  await eventually(async () => {
    const counted = await app.samples()
    const all = await app.json('/blocks')
    return [1, 2, 3].every(
      (worker) =>
        blocksOf(counted, worker) === all.filter((/** @type {any} */ record) => record.worker === worker).length
    )
  }, 'as many counted as listed')
  const samples = await app.samples()
  const settled = (await app.json('/blocks')).filter(isOfRoute)
  // A route is not charged with a sample that came after its request was answered, or whose request is in doubt.
  const weightOf = (/** @type {any[]} */ works) => works.reduce((total, { weightMs }) => total + weightMs, 0)
  const isOurs = (/** @type {any} */ { request }) =>
    request?.route === route && !request.ended && request.exact !== false
  const seconds = settled.reduce((/** @type {number} */ total, /** @type {any} */ { durationMs, ...record }) => {
    const works = record.works ?? [{ ...record, weightMs: 1 }]
    return total + durationMs / 1000 * weightOf(works.filter(isOurs)) / weightOf(works)
  }, 0)
  assert.ok(Math.abs(sum(samples, 'loopwatch_blocked_seconds_total', { route }) - seconds) < 0.001, `${seconds}`)
  assert.ok(seconds > 0.1)
  assert.equal(valueOf(samples, 'loopwatch_cluster_workers', { worker: 'primary', state: 'answering' }), 3)
  assert.ok(samples.every(({ labels }) => ['primary', '1', '2', '3'].includes(labels.worker)))
  assert.ok(!samples.some(({ labels }) => 'pid' in labels))

  const [{ id, worker }] = blocks
  const whole = await app.json(`/blocks/${id}`)
  assert.equal(whole.worker, worker)
  assert.ok(whole.stacks.length > 0)
  const open = await (await fetch(`${app.url}/metrics`, { headers: { accept: 'application/openmetrics-text' } })).text()
  assert.match(open, new RegExp(`worker="${worker}".*# \\{block_id="`))
  assert.match(open, /# EOF\n$/)
  parseExposition(open)
  if (!needs(t, 'promtool')) return
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  assert.deepEqual({ status: checked.status, said: checked.stdout + checked.stderr }, { status: 0, said: '' })
})

test('a scrape answers while a worker is blocked, while the primary is, and while all are', async (t) => {
  const app = await startCluster(t, { workers: 2 })
  const [{ pid: first }, { pid: second }] = app.joined()
  const inProgress = async () => {
    const samples = await app.samples()
    return Object.fromEntries(samples.filter(({ name }) => name === 'loopwatch_block_in_progress_seconds').map(({ labels, value }) => [labels.worker, value]))
  }
  await app.json('/healthz') // the test's own first request is slow

  app.tell({ to: first, spin: 4000 })
  const blocked = await eventually(async () => Object.entries(await inProgress()).find(([worker, value]) => worker !== 'primary' && value > 0.1), 'the block of a worker')
  const [worker] = blocked
  const later = await eventually(async () => {
    const value = (await inProgress())[worker]
    return value > blocked[1] + 0.5 && value
  }, 'the block to grow')
  assert.ok(later > blocked[1])
  const one = await fetch(`${app.url}/healthz`)
  assert.equal(one.status, 200)
  const { workers } = /** @type {any} */ (await one.json())
  assert.equal(workers.joined, 2)
  assert.deepEqual(workers.blocked.map((/** @type {any} */ each) => each.worker), [Number(worker)])
  assert.ok(workers.blocked[0].blockedMs > 500)
  const listed = (await app.json('/blocks')).find((/** @type {any} */ record) => record.worker === Number(worker) && record.ongoing)
  assert.equal(listed.frame.function, 'spin')
  assert.ok(listed.durationMs > 500)

  app.tell({ to: second, spin: 2500 })
  await eventually(async () => {
    const response = await fetch(`${app.url}/healthz`)
    return response.status === 503 && /** @type {any} */ (await response.json()).workers.blocked.length === 2
  }, '503 when every worker is blocked')
  await eventually(async () => (await app.json('/healthz')).workers.blocked.length === 0, 'the workers to go on')

  app.tell({ to: app.child.pid, spin: 3000 })
  await eventually(async () => (await inProgress()).primary > 0.3, 'the block of the primary')
  assert.equal((await fetch(`${app.url}/healthz`)).status, 503)
  assert.deepEqual(Object.keys(await inProgress()).sort(), ['1', '2', 'primary'])
  assert.ok((await inProgress()).primary > 0.3)
})

test('a worker that is killed and replaced goes on under its number, and nothing goes backwards', async (t) => {
  const app = await startCluster(t, { workers: 2 })
  const [{ pid }] = app.joined()
  app.tell({ to: pid, spin: 150 })
  const slot = await eventually(() => slotOf(app, pid), 'its block')
  await eventually(async () => blocksOf(await app.samples(), slot) > 0, 'its block in the metrics')
  app.tell({ to: pid, spin: 60000 })
  await eventually(async () => (await app.json('/healthz')).workers.blocked[0]?.blockedMs > 300, 'it to be blocked')
  const isSeen = (/** @type {any} */ record) => record.pid === pid && record.ongoing && record.frame !== null
  // On a busy machine the thread may not have run so far.
  const { id } = await eventually(async () => (await app.json('/blocks')).find(isSeen), 'its line')
  const before = await app.samples()

  process.kill(pid, 'SIGKILL')
  const ended = await eventually(async () => (await app.json('/blocks')).find((/** @type {any} */ record) => record.id === id && !record.ongoing), 'its end to end its block')
  assert.equal(ended.frame.function, 'spin')
  const between = await app.samples()
  app.tell({ fork: 1 })
  const { pid: next } = await eventually(() => app.joined()[2], 'the next worker')
  app.tell({ to: next, spin: 150 })
  assert.equal(await eventually(() => slotOf(app, next), 'the block of the next worker'), slot)
  await eventually(async () => blocksOf(await app.samples(), slot) > blocksOf(before, slot), 'it in the metrics')
  const after = await app.samples()

  let compared = 0
  for (const [earlier, now] of [[before, between], [between, after]]) {
    for (const { name, labels, value } of earlier.filter(({ name }) => /_(total|bucket|count)$/.test(name))) {
      assert.ok(valueOf(now.filter((sample) => Object.keys(sample.labels).length === Object.keys(labels).length), name, labels) >= value, `${name} ${JSON.stringify(labels)}`)
      compared++
    }
  }
  assert.ok(compared > 100, `${compared}`)
  assert.equal(between.filter(({ name, labels }) => name === 'loopwatch_process_resident_memory_bytes' && labels.worker === `${slot}`).length, 0, 'gauges of the dead')
  assert.equal(valueOf(after, 'loopwatch_cluster_worker_restarts_total', { worker: slot }), 1)
  assert.equal(valueOf(after, 'loopwatch_process_resident_memory_bytes', { worker: slot }) > 0, true)
})

test('workers without an agent in their primary listen themselves, on ports of their own', async (t) => {
  const app = await startCluster(t, { workers: 2, agents: 'workers' })
  const urls = app.joined().map(({ url }) => url)
  assert.equal(new Set(urls).size, 2)
  for (const url of urls) {
    const text = await (await fetch(`${url}/metrics`)).text()
    assert.match(text, /loopwatch_block_in_progress_seconds\{thread="main"\}/)
    assert.match(text, /loopwatch_degraded\{reason="cluster"\} 0/)
  }
})

test('an agent that starts after the workers gathers them, and they close their own endpoints', async (t) => {
  const app = await startCluster(t, { workers: 2, agents: 'late' })
  const urls = app.joined().map(({ url }) => url)
  assert.ok(!urls.includes(app.url))
  await eventually(async () => new Set((await app.samples()).map(({ labels }) => labels.worker)).size === 3, 'both to join')
  for (const url of urls) await eventually(() => fetch(url).then(() => false, () => true), `${url} to close`)
})

test('when the watchdog of the primary has to start again, the workers join it again under their numbers', async (t) => {
  const free = net.createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = /** @type {net.AddressInfo} */ (free.address())
  free.close()
  const app = await startCluster(t, { workers: 3, args: ['-r', path.join(FIXTURES, 'own-worker.js')], options: { port } })
  /** @returns {Promise<Record<string, number>>} slot by pid */
  const slots = async () => Object.fromEntries((await app.json('/blocks')).filter((/** @type {any} */ { worker }) => worker !== null).map((/** @type {any} */ { pid, worker }) => [pid, worker]))
  for (const { pid } of app.joined()) app.tell({ to: pid, spin: 120 })
  const before = await eventually(async () => {
    const now = await slots()
    return Object.keys(now).length === 3 && now
  }, 'a block of each')
  app.tell({ end: 'watchdog' })
  await eventually(() => app.out.stderr.includes('LOOPWATCH_WARN_WATCHDOG'), 'the watchdog to end')
  const after = await eventually(async () => {
    const now = await slots().catch(() => ({}))
    return Object.keys(now).length === 3 && now
  }, 'the workers to tell the new one')
  assert.deepEqual(after, before)
  assert.ok((await app.samples()).filter(({ name }) => name === 'loopwatch_cluster_worker_restarts_total').every(({ value }) => value === 0))
})

test('a rolling restart loses nothing: who leaves with agent.stop() has told its last request and block', async (t) => {
  const app = await startCluster(t, { workers: 2 })
  let answered = 0
  const over = new AbortController()
  const load = (async () => {
    // A server that closes lets go of a connection whose request has not come yet.
    while (!over.signal.aborted) await app.get('/orders/17').then(() => answered++, () => {})
  })()
  // Questions to workers that are just leaving must not cost what they said last.
  const scrapes = (async () => {
    while (!over.signal.aborted) await app.samples()
  })()
  for (let life = 0; life < 4; life++) {
    const { pid } = app.joined()[life]
    app.tell({ fork: 1 })
    await eventually(() => app.joined().length === life + 3, 'the next worker')
    app.tell({ to: pid, spin: 150, leave: true })
    await eventually(() => !isAlive(pid), 'the worker to leave')
  }
  over.abort()
  await Promise.all([load, scrapes])
  const requests = (/** @type {Sample[]} */ samples) => sum(samples, 'loopwatch_http_request_duration_seconds_count', {})
  let counted = 0
  const samples = await eventually(async () => {
    const now = await app.samples()
    counted = requests(now)
    return counted >= answered && now
  }, () => `${answered} requests to be counted, of which are ${counted}`)
  assert.equal(requests(samples), answered)
  const gone = app.joined().slice(0, 4).map(({ pid }) => pid)
  let blocks = 0
  await eventually(async () => {
    const listed = (await app.json('/blocks')).filter((/** @type {any} */ { worker }) => worker !== null)
    const now = await app.samples()
    blocks = [1, 2, 3].reduce((total, worker) => total + blocksOf(now, worker), 0)
    return (
      gone.every((pid) => listed.some((/** @type {any} */ record) => record.pid === pid)) && blocks === listed.length
    )
  }, () => `as many blocks counted as listed; counted are ${blocks}`)
})

test('an agent that stops and starts again in a worker counts from there on, and its blocks are others', async (t) => {
  const app = await startCluster(t, { workers: 1 })
  const [{ pid }] = app.joined()
  const lived = (/** @type {Sample[]} */ samples) => sum(samples, 'loopwatch_eventloop_time_seconds_total', { worker: '1', thread: 'main' })
  // Whatever it is blamed on: a machine that is busy enough may give most of it to others.
  const long = async () => (await app.json('/blocks'))
    .filter((/** @type {any} */ { worker, durationMs, ongoing }) => worker === 1 && durationMs > 900 && !ongoing)
    .map((/** @type {any} */ { id }) => id)
  app.tell({ to: pid, spin: 1000 })
  const earlier = await eventually(async () => (await long()).length > 0 && long(), 'its block')
  const before = await eventually(async () => {
    const samples = await app.samples()
    return lived(samples) > 3 && { atMs: performance.now(), livedS: lived(samples) }
  }, 'some seconds of its life')
  app.tell({ to: pid, again: true })
  await eventually(() => app.joined().length === 2, 'its next agent')
  app.tell({ to: pid, spin: 1000 })
  await eventually(async () => {
    const now = await long()
    return now.length > earlier.length && earlier.every((/** @type {string} */ id) => now.includes(id))
  }, async () => `another block beside ${earlier}, in ${JSON.stringify(await app.json('/blocks'))}`)
  // A worker passes its totals on once a second.
  const livedS = await eventually(async () => Math.max(0, lived(await app.samples()) - before.livedS), 'loop time')
  const passedS = (performance.now() - before.atMs) / 1000
  assert.ok(livedS < passedS + 1, `${livedS} s of loop time in ${passedS} s`)
})

test('outside a cluster an agent that starts again has the totals of the process', async (t) => {
  const { stdout } = await startNode(t, ['-e', `
    const { start } = require(${JSON.stringify(path.join(__dirname, '..', '..'))})
    const options = { port: 0, log: false }
    const agent = start(options)
    setTimeout(async () => {
      await agent.stop()
      const next = start(options)
      await next.ready
      console.log(await next.metrics())
      await next.stop()
    }, 1000)`]).closed
  const { samples } = parseExposition(stdout)
  assert.ok(sum(samples, 'loopwatch_eventloop_time_seconds_total', { thread: 'main' }) > 0.9)
})

test('a process that never forks does not load node:cluster', async (t) => {
  const { stdout } = await startNode(t, ['-e', `
    const { spawnSync } = require('node:child_process')
    const agent = require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start({ port: 0, log: false })
    spawnSync(process.execPath, ['-v'])
    require('node:child_process').spawn(process.execPath, ['-v']).on('exit', async () => {
      await agent.ready
      const text = await agent.metrics()
      console.log(process.moduleLoadList.includes('NativeModule cluster'), /worker=/.test(text))
      await agent.stop()
    })`]).closed
  assert.equal(stdout, 'false false\n')
})

test('a folder that other users may enter is not used: this is logged once, and the workers listen themselves', async (t) => {
  const tmpdir = makeDir(t)
  const folder = path.join(tmpdir, `loopwatch-${process.getuid?.()}`)
  fs.mkdirSync(folder)
  fs.chmodSync(folder, 0o755)
  const app = await startCluster(t, { workers: 1, env: { TMPDIR: tmpdir } })
  const [{ url }] = app.joined()
  assert.notEqual(url, app.url)
  const said = await eventually(() => {
    const lines = app.lines().filter(({ event, reason }) => event === 'degraded' && reason === 'cluster')
    return lines.length === 2 && lines
  }, 'both to say so')
  for (const { msg } of said) assert.match(msg, /mode 755/)
  assert.equal(valueOf(await app.samples(), 'loopwatch_degraded', { worker: 'primary', reason: 'cluster' }), 1)

  fs.chmodSync(folder, 0o700)
  const samples = await eventually(async () => {
    const now = await app.samples()
    return now.some(({ labels }) => labels.worker === '1') && now
  }, 'the worker to join after all')
  assert.equal(valueOf(samples, 'loopwatch_degraded', { worker: 'primary', reason: 'cluster' }), 0)
  await eventually(() => fetch(url).then(() => false, () => true), 'its own endpoint to close')
})

test('two processes with one port: the second takes the next free one and says so; their blocks are joined', async (t) => {
  const first = await startApp(t)
  const port = Number(new URL(first.url).port)
  const second = await startApp(t, { options: { port } })
  const used = Number(new URL(second.url).port)
  assert.ok(used > port && used < port + 100, `${used} after ${port}`)
  const line = await second.line(({ event }) => event === 'listening', 'the line with the port')
  assert.equal(line.level, 40)
  assert.match(line.msg, new RegExp(`${port} is taken.*${used}`))
  assert.match(await (await second.watchdog('/metrics')).text(), /loopwatch_degraded\{reason="endpoint"\} 0/)

  const cli = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
  /** @type {string[]} */
  const made = []
  for (const app of [first, second, first]) {
    const before = new Set(app.lines().map(({ block }) => block))
    await app.get('/spin?ms=150')
    const isNew = (/** @type {any} */ { event, block, durationMs }) =>
      event === 'settled' && !before.has(block) && durationMs > 100
    const { block } = await app.line(isNew, 'the block')
    made.push(`${app.url} ${block}`)
  }
  const { stdout, code } = await startNode(t, [cli, 'blocks', first.url, second.url]).closed
  assert.equal(code, 0)
  const lines = stdout.split('\n').filter((text) => text.includes(' event loop '))
  // The machine may have made more.
  const listed = lines.map((text) => made.find((block) => text.includes(` ${block} `))).filter((block) => block !== undefined)
  assert.deepEqual(listed, made, stdout)
  assert.deepEqual(lines, [...lines].sort())

  const gone = await startNode(t, [cli, 'blocks', first.url, 'http://127.0.0.1:1', second.url]).closed
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /LOOPWATCH_ERR_SOURCE/)
  for (const block of made) assert.ok(gone.stdout.includes(` ${block} `), gone.stdout)
})

test('blocks of a cluster are listed with their worker', async (t) => {
  const app = await startCluster(t, { workers: 1 })
  app.tell({ to: app.joined()[0].pid, spin: 150 })
  await eventually(async () => (await app.json('/blocks')).some((/** @type {any} */ record) => record.worker === 1 && !record.ongoing && record.frame?.function === 'spin'), 'the block')
  const { stdout } = await startNode(t, [path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js'), 'blocks', app.url]).closed
  assert.match(stdout, /Z worker 1 \d+-\d+ event loop (was )?blocked for /)
})

test('when the watchdog of a worker has to start again, nothing is counted twice', async (t) => {
  const app = await startCluster(t, { workers: 1, args: ['-r', path.join(FIXTURES, 'own-worker.js')] })
  const [{ pid }] = app.joined()
  app.tell({ to: pid, spin: 2500 })
  const active = (/** @type {Sample[]} */ samples) => sum(samples, 'loopwatch_eventloop_time_seconds_total', { worker: '1', thread: 'main', state: 'active' })
  const delays = (/** @type {Sample[]} */ samples) => sum(samples, 'loopwatch_eventloop_delay_seconds_count', { worker: '1' })
  const before = await eventually(async () => {
    const samples = await app.samples()
    return active(samples) > 2.5 && samples
  }, 'its block')
  const startMs = performance.now()
  app.tell({ to: pid, end: 'watchdog' })
  const residents = (/** @type {Sample[]} */ samples) => sum(samples, 'loopwatch_process_resident_memory_bytes', { worker: '1' })
  await eventually(async () => residents(await app.samples()) === 0, 'its gauges to go')
  const after = await eventually(async () => {
    const samples = await app.samples()
    return residents(samples) > 0 && samples
  }, 'the next one to join')
  // Metrics are up to a second old.
  const mostS = active(before) + (performance.now() - startMs) / 1000 + 1
  assert.ok(active(after) >= active(before) && active(after) < mostS, `${active(before)} s, then ${active(after)} s`)
  assert.ok(delays(after) >= delays(before), `${delays(before)}, then ${delays(after)}`)
  assert.equal(valueOf(after, 'loopwatch_cluster_worker_restarts_total', { worker: '1' }), 0)
})

test('the primary lists blocks of a worker\'s threads in addition to those it keeps of its own', async (t) => {
  const app = await startCluster(t, { workers: 1, options: { port: 0, keep: 2 } })
  const [{ pid }] = app.joined()
  app.tell({ to: app.child.pid, spin: 150 })
  await eventually(async () => (await app.json('/blocks')).some((/** @type {any} */ record) => record.worker === null && !record.ongoing && record.frame?.function === 'spin'), 'the primary\'s own block')
  app.tell({ to: pid, thread: 200 })
  const listed = await eventually(async () => (await app.json('/blocks')).find((/** @type {any} */ record) => record.worker === 1 && record.thread !== 'main' && !record.ongoing), 'a block of the thread')
  assert.equal(listed.pid, pid)
  assert.equal((await app.json(`/blocks/${listed.id}`)).thread, listed.thread)
  for (let i = 0; i < 4; i++) app.tell({ to: pid, spin: 120 })
  await eventually(async () => (await app.json('/blocks')).some((/** @type {any} */ record) => record.worker === 1 && record.frame?.function === 'spin'), 'blocks of the worker')
  // On a busy machine a later one of its own may have taken its place.
  assert.ok((await app.json('/blocks')).some((/** @type {any} */ { worker }) => worker === null), 'its own')
})

test('a worker that joins a primary without an endpoint says so', async (t) => {
  const app = await startCluster(t, { workers: 1, options: { port: false } })
  const line = await eventually(() => app.lines().find(({ event }) => event === 'joined'), 'it to say so')
  assert.equal(line.msg, 'watching, joined the primary, which has no endpoint')
})
