'use strict'

// runtime: V8's stack frames
const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { parseAnswer, FIELD, LINE } = require('../../../lib/bridge/probe')
const { RequestContext } = require('../../../lib/host/work/http/context')
const { createProbe } = require('../../../lib/host/sense/probe')
const { Work } = require('../../../lib/host/work/work')

/**
 * @param {(string | number)[]} head
 * @param {(string | number)[][]} frames
 * @param {(string | number)[]} [work]
 * @param {(string | number)[][]} [open]
 * @param {(string | number)[]} [others]
 */
const write = (head, frames, work = [], open = [[], []], others = []) =>
  [head, work, ...open, others, ...frames].map((fields) => fields.join(FIELD) + LINE).join('')

test('an answer gives time, idle time, beat, request and frames', () => {
  const text = write([1000.5, 900.25, 17, 'false', '', 31.25, 42, 950.5, 'GET', 'ab'.repeat(16), 'true', 'false', '/report/:id', 512, ''], [[41, 13, '/srv/app/report.js', 'report'], [1, 2, 'node:internal/timers', 'listOnTimeout']])
  assert.deepEqual(parseAnswer(text), {
    atMs: 1000.5,
    idleMs: 900.25,
    beats: 17,
    inspectorPort: null,
    request: { id: 42, method: 'GET', route: '/report/:id', startedAtMs: 950.5, traceId: 'ab'.repeat(16), ended: false, bytesIn: 512, bytesOut: null },
    work: {
      kind: 'request',
      name: 'GET /report/:id',
      id: '42',
      rootId: '42',
      parent: null,
      startedAtMs: 950.5,
      attributes: {},
      traceId: 'ab'.repeat(16),
      spanId: null,
      sampled: null,
      ended: false
    },
    putAtMs: null,
    cpuMs: 31.25,
    others: [],
    frames: [
      { function: 'report', file: '/srv/app/report.js', line: 41, column: 13 },
      { function: 'listOnTimeout', file: 'node:internal/timers', line: 1, column: 2 }
    ]
  })
})

const REQUEST = [1, 2, 3, 'false', '', '', 42, 950.5, 'GET', '', 'true', 'false', '/report/:id']
const NO_REQUEST = [1, 2, 3, 'false', '', '', '', '', '', '', '']
const SPAN = ['12'.repeat(8), 'true', 'ab'.repeat(16), 'charge card']
const NO_SPAN = ['', '', '', '']
const JOB = [43, 42, 'job', 990, 'false', 42, 'request', 'GET /report/:id', 'email:send', 'queue', 's', 'email', 'attempt', 'n', 2]

test('the innermost work is what was named, with its parent, its attributes and the ids of the active span', () => {
  const { work, request } = parseAnswer(write(REQUEST, [], [...SPAN, ...JOB]))
  assert.deepEqual(work, {
    kind: 'job',
    name: 'email:send',
    id: '43',
    rootId: '42',
    parent: { kind: 'request', name: 'GET /report/:id', id: '42' },
    startedAtMs: 990,
    attributes: { queue: 'email', attempt: 2 },
    traceId: 'ab'.repeat(16),
    spanId: '12'.repeat(8),
    sampled: true,
    ended: false
  })
  assert.equal(request?.route, '/report/:id', 'the request that it is part of is known as before')
})

test('an OpenTelemetry span names work that has no other name, and work that has ended', () => {
  const kindOf = (/** @type {(string | number)[]} */ head, /** @type {(string | number)[]} */ work) =>
    parseAnswer(write(head, [], work)).work?.kind
  const over = REQUEST.with(11, 'true')
  assert.equal(kindOf(NO_REQUEST, SPAN), 'span')
  assert.equal(kindOf(over, SPAN), 'span')
  assert.equal(kindOf(NO_REQUEST, [...SPAN, ...JOB.with(4, 'true')]), 'span')
  assert.equal(kindOf(REQUEST, SPAN), 'request')
  assert.equal(kindOf(NO_REQUEST, [...SPAN, ...JOB]), 'job')
  assert.equal(kindOf(over, SPAN.with(3, '')), 'request')
  assert.equal(kindOf(NO_REQUEST, NO_SPAN), undefined)
  assert.equal(kindOf(over, NO_SPAN), 'request')
})

test('a request that is not certain counts only while its arrival is being worked on', () => {
  const head = [1, 2, 3, 'false', '', '', 1, 5, 'GET', '', 'false', 'false', '/a']
  const arrivals = [['', '', 'node:_http_server', 'parserOnIncoming'], ['', '', 'node:internal/http2/compat', 'onServerStream']]
  for (const arrival of arrivals) assert.equal(parseAnswer(write(head, [[1, 1, '/a.js', 'a'], arrival])).request?.id, 1)
  assert.equal(parseAnswer(write(head, [[1, 1, '/a.js', 'a'], ['', '', '/srv/app.js', 'parserOnIncoming']])).request, null)
  assert.equal(parseAnswer(write(head, [])).request, null)
})

test('what was open counts, in doubt, where nothing else tells what was running', () => {
  const head = [1, 2, 3, 'false', '', '', 2, 6, 'GET', '', 'false', 'false', '/new']
  const open = [[1, 1, 5, 'GET', '', 'true', 'false', '/old'], NO_SPAN]
  const { request, work } = parseAnswer(write(head, [], [], open))
  assert.deepEqual([request?.route, request?.exact, request?.among], ['/old', false, undefined])
  assert.deepEqual([work?.name, work?.exact], ['GET /old', false])
  const several = parseAnswer(write(head, [], [], [[3, ...open[0].slice(1)], NO_SPAN]))
  assert.deepEqual([several.request?.among, several.work?.among], [3, 3])
  const job = parseAnswer(write(NO_REQUEST, [], [], [[1, '', '', '', '', '', ''], [...NO_SPAN, ...JOB]]))
  assert.deepEqual([job.request, job.work?.name, job.work?.exact], [null, 'email:send', false])
  const arrival = [['', '', 'node:_http_server', 'parserOnIncoming']]
  const certain = [parseAnswer(write(head, arrival, [], open)), parseAnswer(write(NO_REQUEST, [], SPAN, open))]
  assert.deepEqual(certain.map((each) => [each.work?.name, each.work?.exact]), [['GET /new', undefined], ['charge card', undefined]])
})

test('an answer has the newest open requests in addition to the running one', () => {
  const others = [7, 5, 'GET', '', 'true', 'false', '/old', '', '', 8, 6, 'POST', '', 'true', 'false', '/new', 0, '', '']
  const told = parseAnswer(write(NO_REQUEST, [], [], undefined, others)).others ?? []
  assert.deepEqual(told.map(({ id, method, route, startedAtMs, bytesIn }) => [id, method, route, startedAtMs, bytesIn]),
    [[7, 'GET', '/old', 5, null], [8, 'POST', '/new', 6, 0]])
})

test('an answer without request or frames says so, and names the inspector\'s port while that is open', () => {
  const { request, inspectorPort, frames } = parseAnswer(write([1, 2, 3, 'ws://[::1]:9229/a-b', '', '', '', '', '', '', ''], []))
  assert.deepEqual({ request, inspectorPort, frames }, { request: null, inspectorPort: 9229, frames: [] })
})

test('functions, files and paths with odd names keep them', () => {
  for (const odd of ['two\nlines', 'a\tb', ' ', 'with "quotes" and \\', '日本 🎉', '<anonymous>', '0', 'null', '\r\n', '\0']) {
    const { request, frames } = parseAnswer(write([1, 2, 3, 'false', '', '', 1, 5, 'GET', '', 'true', 'false', `/${odd}`], [[1, 1, odd, odd], [2, 2, '/b.js', 'b']]))
    assert.equal(request?.route, `/${odd}`)
    assert.deepEqual(frames, [{ function: odd, file: odd, line: 1, column: 1 }, { function: 'b', file: '/b.js', line: 2, column: 2 }])
  }
})

test('what a frame does not have is null', () => {
  assert.deepEqual(parseAnswer(write([1, 2, 3, 'false', '', '', '', '', '', '', ''], [['', '', '', '']])).frames,
    [{ function: null, file: null, line: null, column: null }])
})

test('a name that holds the separator of fields garbles no other frame', () => {
  const { frames } = parseAnswer(write([1, 2, 3, 'false', '', '', '', '', '', '', ''], [[1, 1, '/a.js', `x${FIELD}y`], [2, 2, '/b.js', 'b']]))
  assert.equal(frames[0].function, 'xy')
  assert.deepEqual(frames[1], { function: 'b', file: '/b.js', line: 2, column: 2 })
})

test('an answer that was cut loses the frame it was cut in, and no other', () => {
  const text = write([1, 2, 3, 'false', '', '', '', '', '', '', ''], [[1, 1, '/a.js', 'a'], [2, 2, '/b.js', 'b']])
  for (let end = text.indexOf('/b.js'); end < text.length; end++) {
    assert.deepEqual(parseAnswer(text.slice(0, end)).frames.map((frame) => frame.function), ['a'])
  }
})

test('what is open is written of the oldest, be it a request or a job', () => {
  const bridge = openBridge(createMemory())
  const incoming = /** @type {any} */ ({ method: 'GET', url: '/a', rawHeaders: [] })
  const request = new RequestContext(9, incoming, 3.5, false)
  const told = (/** @type {any[]} */ ...open) => {
    const question = bridge.answer.ask()
    createProbe(bridge, () => ({ context: undefined, isCertain: true, open: new Set(open) }))(undefined)
    return parseAnswer(/** @type {string} */ (bridge.answer.take(question)))
  }
  const asked = told(request, new Work(10, 'job', 'mail', null, 4))
  assert.deepEqual([asked.work?.name, asked.work?.exact, asked.request?.among], ['GET /a', false, 2])
  const job = told(new Work(10, 'job', 'mail', null, 4, { queue: 'q' }))
  assert.deepEqual([job.request, job.work?.name, job.work?.attributes, job.work?.exact], [null, 'mail', { queue: 'q' }, false])
  assert.ok(job.frames.length > 0)
})

test('what the probe of the host writes, the watchdog reads', () => {
  const bridge = openBridge(createMemory())
  bridge.beat.write(5, 4, 1, 10)
  const incoming = /** @type {any} */ ({ method: 'POST', url: '/a\tb/é?secret=1', rawHeaders: ['Host', 'a', 'TraceParent', `00-${'0a'.repeat(16)}-${'b'.repeat(16)}-01`] })
  const probe = createProbe(bridge, () => ({ context: new RequestContext(9, incoming, 3.5, false), isCertain: true }))
  const name = 'odd\nname\t日本'
  const odd = { [name]: () => answered() }[name]
  // The probe leaves two frames out: itself and the inspector's expression that calls it.
  const answered = () => { (() => probe(undefined))() }
  const question = bridge.answer.ask()
  odd()
  const text = /** @type {string} */ (bridge.answer.take(question))
  const { beats, inspectorPort, request, frames, cpuMs = null } = parseAnswer(text)
  // Node.js 20 does not tell.
  assert.equal(cpuMs === null, typeof (/** @type {any} */ (process).threadCpuUsage) !== 'function')
  assert.ok(cpuMs === null || cpuMs > 0, `${cpuMs}`)
  assert.deepEqual({ beats, inspectorPort, request }, { beats: 1, inspectorPort: null, request: { id: 9, method: 'POST', route: '/a\tb/é', startedAtMs: 3.5, traceId: '0a'.repeat(16), ended: false, bytesIn: 0, bytesOut: null } })
  assert.deepEqual(frames.slice(0, 2).map((frame) => [frame.function, frame.file]), [['answered', __filename], [name, __filename]])
  assert.ok(frames.every(({ line, column }) => line === null || (line > 0 && Number(column) > 0)))
  assert.ok(!text.includes('secret'))
})

test('a deep stack keeps its innermost frames and what ran the callback; an endless one says that it was cut', () => {
  const bridge = openBridge(createMemory())
  const probe = createProbe(bridge, () => ({ context: undefined, isCertain: true }))
  const told = (/** @type {number} */ depth) => {
    const question = bridge.answer.ask()
    const walk = (/** @type {number} */ left) => { left === 0 ? probe(undefined) : walk(left - 1) }
    const handle = () => walk(depth)
    ;[1].forEach(() => handle())
    return parseAnswer(/** @type {string} */ (bridge.answer.take(question)))
  }
  const [shallow, deep, endless] = [told(10), told(100), told(1000)]
  assert.deepEqual([shallow.cut, deep.cut, endless.cut], [undefined, undefined, true])
  const outer = (/** @type {any[]} */ all) => all.slice(all.findLastIndex(({ file }) => file === __filename) + 1)
  assert.deepEqual(outer(deep.frames), outer(shallow.frames), 'what ran it')
  assert.ok(deep.frames.slice(0, 60).every(({ function: name }) => name === 'walk'))
  assert.deepEqual(endless.frames.map(({ function: name }) => name), Array(61).fill('walk'))
  const { start, line } = shallow.frames.find(({ file, function: name }) => file === __filename && name === null) ?? {}
  assert.equal(start?.split(':')[0], `${line}`, 'where a function without a name begins')
})

test('while V8 formats another stack the frames are read from the text that it writes', (t) => {
  const bridge = openBridge(createMemory())
  const probe = createProbe(bridge, () => ({ context: undefined, isCertain: true }))
  const { prepareStackTrace } = Error
  t.after(() => { Error.prepareStackTrace = prepareStackTrace })
  const question = bridge.answer.ask()
  // eslint-disable-next-line no-new-func -- code of an eval has a place of its own kind
  const generated = new Function('error', 'return error.stack')
  class Report {
    write () { return [new Error('bad (1:2) at x')].map((error) => generated(error)) }
  }
  Error.prepareStackTrace = function format () {
    (() => probe(undefined))()
    return ''
  }
  new Report().write()
  Error.prepareStackTrace = prepareStackTrace
  const { frames } = parseAnswer(/** @type {string} */ (bridge.answer.take(question)))
  const of = (/** @type {string} */ name) => frames.findIndex((frame) => frame.function === name)
  assert.equal(frames[0].file, __filename)
  assert.ok(frames.some(({ file }) => file?.startsWith('eval at ')), JSON.stringify(frames.slice(0, 5)))
  assert.deepEqual(frames[of('map')], { function: 'map', file: null, line: null, column: null })
  const { file, line, column } = frames[of('write')]
  assert.ok(file === __filename && Number(line) > 100 && Number(column) > 10, JSON.stringify(frames[of('write')]))
})

test('functions that await what runs are told apart from those that run', async () => {
  const bridge = openBridge(createMemory())
  const probe = createProbe(bridge, () => ({ context: undefined, isCertain: true }))
  const question = bridge.answer.ask()
  // The probe leaves out the three innermost frames: its own two and the expression that calls it.
  const evaluate = () => probe(undefined)
  const inner = async () => { await null; evaluate() }
  async function outer () { await inner() }
  await outer()
  const { frames, awaiting } = parseAnswer(/** @type {any} */ (bridge.answer.take(question)))
  assert.ok(frames.length > 0 && frames.every((each) => each.async === undefined), JSON.stringify(frames))
  assert.deepEqual(awaiting?.map(({ function: name, async: isAwaiting }) => [name, isAwaiting])[0], ['outer', true])
  const written = 'Error\n    at a (/x.js:1:1)\n    at b (/x.js:1:1)\n    at c (/x.js:1:1)\n    at run (/x.js:2:3)\n    at async wait (/y.js:4:5)'
  const told = parseAnswer(write(['', '', '', '', '', ''], []) + written)
  assert.deepEqual([told.frames.map(({ function: name }) => name), told.awaiting?.map(({ function: name }) => name)], [['run'], ['wait']])
})
