'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { exchange, FunctionHistory, openHistory } = require('../../../lib/store/function-history')
const { makeDir } = require('../../support/files')
const { version } = require('../../../package.json')
const { makeRecord } = require('../../support/record')

const HOUR_MS = 3_600_000
const ROOT = '/srv/shop'

/** @param {string} name @param {object} [frame] */
const blockOf = (name, frame, record = {}) => makeRecord({
  ongoing: false,
  durationMs: 100,
  frame: { function: name, file: `${ROOT}/lib/cart.js`, line: 7, column: 3, exact: true, ...frame },
  ...record
})

/** A folder that processes of one application share, and a clock. @param {import('node:test').TestContext} t */
function makeFolder (t) {
  t.mock.timers.enable({ apis: ['Date'], now: 1_790_000_000_000 })
  const file = path.join(makeDir(t), 'functions-shop.jsonl')
  /** @type {string[]} */
  const damages = []
  return {
    file,
    damages,
    /** @param {number} hours */
    pass: (hours) => t.mock.timers.setTime(Date.now() + hours * HOUR_MS),
    /** A process of a version, as it is after its start. @param {string} version */
    start (version, root = ROOT) {
      const history = new FunctionHistory({ version, root, file })
      const keepHistory = (/** @type {any} */ versions) =>
        history.merge(exchange(file, versions, (reason) => damages.push(reason)))
      keepHistory([])
      return {
        exchange: () => history.poll(Infinity, { isIdle: true, keepHistory }),
        note: (/** @type {any} */ record) => history.note({ ...record, change: history.changeOf(record) ?? undefined }),
        changeOf: (/** @type {any} */ record) => history.changeOf(record),
        change: (/** @type {string} */ name) => history.changeOf(blockOf(name))?.text ?? null
      }
    },
    /** A version runs for hours, and functions block in it. @param {string} version @param {string[]} names */
    run (version, hours = 48, names = ['parse']) {
      const running = this.start(version)
      for (const name of names) running.note(blockOf(name))
      for (let hour = 0; hour < hours; hour++) {
        running.exchange()
        this.pass(1)
      }
      return running
    }
  }
}

test('a function that did not block in the earlier versions is new since the running one', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1')
  const now = folder.start('1.8.2')
  assert.equal(now.change('render'), 'new since version 1.8.2')
  assert.equal(now.change('parse'), null)
  now.note(blockOf('render'))
  const { kind, version, since } = now.changeOf(blockOf('render')) ?? assert.fail()
  assert.deepEqual([kind, version], ['new', '1.8.2'])
  assert.ok(Math.abs(Date.parse(since) - Date.now()) < HOUR_MS, since)
})

test('a function stays new when its version is started again, and no longer in the next one', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1')
  const first = folder.start('1.8.2')
  first.note(blockOf('render'))
  first.exchange()
  folder.pass(30)
  assert.equal(folder.start('1.8.2').change('render'), 'new since version 1.8.2')
  assert.equal(folder.start('1.8.3').change('render'), null)
})

test('nothing is new at the first start in a folder, whatever the version', (t) => {
  const folder = makeFolder(t)
  const first = folder.start('1.8.1')
  assert.equal(first.change('parse'), null)
  for (let hour = 0; hour < 48; hour++) {
    folder.pass(1)
    first.exchange()
    assert.equal(first.change('parse'), null)
  }
})

test('a function is new in doubt if the earlier versions ran for less than a day: work of the night may be missing', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1', 23)
  assert.equal(folder.start('1.8.2').change('render'), '≈ new since version 1.8.2')
  folder.pass(1)
  folder.run('1.8.1', 1)
  assert.equal(folder.start('1.8.2').change('render'), 'new since version 1.8.2')
})

test('a function that first blocks long after the start of its version is new in doubt, then not', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1', 19 * 3)
  const now = folder.run('1.8.2', 2)
  assert.equal(now.change('render'), 'new since version 1.8.2')
  folder.pass(1)
  now.exchange()
  assert.equal(now.change('render'), '≈ new since version 1.8.2')
  folder.run('1.8.2', 19 * 3)
  now.exchange()
  assert.equal(now.change('render'), null)
})

test('a function that blocks in the second version of a folder, seconds after the first, is new in doubt', (t) => {
  const folder = makeFolder(t)
  const first = folder.start('1.8.1')
  first.note(blockOf('parse'))
  first.exchange()
  assert.deepEqual(['parse', 'render'].map(folder.start('1.8.2').change), [null, '≈ new since version 1.8.2'])
})

test('nothing is new if the earlier versions have expired', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1')
  folder.pass(14 * 24 + 1)
  const now = folder.start('1.8.2')
  assert.deepEqual([now.change('parse'), now.change('render')], [null, null])
})

test('a function is remembered as long as its version runs, however rarely it blocks', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1', 20 * 24)
  const now = folder.start('1.8.2')
  assert.deepEqual([now.change('parse'), now.change('render')], [null, 'new since version 1.8.2'])
})

test('processes that share a folder do not lose what the others have written', (t) => {
  const folder = makeFolder(t)
  const processes = ['parse', 'render', 'sort'].map((name) => ({ name, running: folder.start('1.8.1') }))
  for (const { name, running } of processes) {
    running.note(blockOf(name))
    running.exchange()
  }
  folder.run('1.8.1', 48, [])
  const now = folder.start('1.8.2')
  assert.deepEqual(['parse', 'render', 'sort', 'index'].map(now.change), [null, null, null, 'new since version 1.8.2'])
})

test('a function is not new once it has blocked in a process that still runs the earlier version', (t) => {
  const folder = makeFolder(t)
  const old = folder.run('1.8.1')
  const now = folder.start('1.8.2')
  now.note(blockOf('render'))
  assert.equal(now.change('render'), 'new since version 1.8.2')
  old.note(blockOf('render'))
  old.exchange()
  now.exchange()
  assert.equal(now.change('render'), null)
  assert.equal(old.change('index'), null, 'the earlier version has run for days')
})

test('a function that all stacks have is certain, whatever its line', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1')
  const now = folder.start('1.8.2')
  const frame = { function: 'render', file: `${ROOT}/lib/cart.js`, line: 7, column: 3 }
  const stack = { count: 2, weightMs: 90, frames: [{ ...frame, function: 'spin' }, { ...frame, line: 9 }] }
  const other = { ...stack, frames: [{ ...frame, function: 'index' }] }
  const changeOf = (/** @type {object} */ record) =>
    now.changeOf(blockOf('render', { exact: false }, { samples: 2, stacks: [stack, stack], ...record }))?.text
  assert.equal(changeOf({}), 'new since version 1.8.2')
  assert.equal(changeOf({ stacks: [stack, other] }), undefined)
  assert.equal(changeOf({ samples: 1, stacks: [stack] }), undefined)
  assert.equal(changeOf({ excused: true }), undefined)
})

test('an uncertain place is never new, and no longer new when it is certain', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1').note(blockOf('render', { exact: false }))
  folder.run('1.8.1', 48, [])
  const now = folder.start('1.8.2')
  assert.equal(now.changeOf(blockOf('index', { exact: false })), null)
  assert.equal(now.changeOf(blockOf('index', {}, { allowed: 'a report' })), null)
  assert.equal(now.changeOf(blockOf('index', { function: null })), null)
  assert.equal(now.changeOf(blockOf('index', {}, { threadId: 3 })), null)
  const own = path.join(__dirname, '..', '..', '..', 'lib', 'index.js')
  assert.equal(now.changeOf(blockOf('index', { file: own })), null)
  const old = folder.start('1.8.1')
  old.note(blockOf('index', { exact: false }))
  old.exchange()
  now.exchange()
  assert.equal(now.change('index'), null)
})

test('a function that may have been to blame in one of several works is not new', (t) => {
  const folder = makeFolder(t)
  const { frame } = blockOf('render')
  const old = folder.run('1.8.1')
  old.note(blockOf('parse', {}, { works: [{ work: null, request: null, frame, weightMs: 20 }] }))
  old.exchange()
  assert.equal(folder.start('1.8.2').change('render'), null)
})

test('lines, releases, hashes of bundles and versions of packages may change', (t) => {
  const folder = makeFolder(t)
  const places = (/** @type {number} */ n) => [
    { line: 7 + n },
    { file: `${ROOT}/dist/server-a${n}Fz.js` },
    { file: `/srv/releases/2026112${n}/lib/cart.js` },
    { file: `${ROOT}/node_modules/.pnpm/marked@18.0.${n}/node_modules/marked/lib/marked.js` }
  ]
  const old = folder.run('1.8.1')
  for (const place of places(1)) old.note(blockOf('lex', place))
  const marked = 'node_modules/marked/src/marked.js'
  old.note(blockOf('lex', { file: `${ROOT}/node_modules/docs/${marked}` }))
  old.exchange()
  assert.equal(folder.start('1.8.2', '/opt/blue').changeOf(blockOf('lex', { file: '/opt/blue/lib/cart.js' })), null)
  const now = folder.start('1.8.2')
  assert.equal(now.changeOf(blockOf('lex', { file: `${ROOT}/${marked}` })), null)
  for (const place of places(2)) assert.equal(now.changeOf(blockOf('lex', place)), null, JSON.stringify(place))
  assert.equal(now.changeOf(blockOf('lex', { file: `${ROOT}/lib/other.js` }))?.kind, 'new')
})

test('nothing is new if an earlier version had more functions than are kept', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1', 48, Array.from({ length: 299 }, (_, i) => `fn${i}`))
  assert.equal(folder.start('1.8.2').change('render'), 'new since version 1.8.2')
  folder.run('1.8.1', 1, ['other', 'another'])
  assert.equal(folder.start('1.8.2').change('render'), null)
  const [, { functions }] = exchange(folder.file, [], assert.fail)[0]
  assert.equal([...functions].length, 300)
})

test('a function stays new if it first blocks much later in a second process', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1')
  const [first, second] = [folder.start('1.8.2'), folder.start('1.8.2')]
  first.note(blockOf('render'))
  for (let hour = 0; hour < 10; hour++) {
    folder.pass(1)
    second.exchange()
  }
  second.note(blockOf('render'))
  assert.equal(second.change('render'), '≈ new since version 1.8.2')
  first.exchange()
  second.exchange()
  assert.equal(second.change('render'), 'new since version 1.8.2')
})

test('the latest versions are kept, and the running one always', (t) => {
  const folder = makeFolder(t)
  const first = folder.run('1.0.0', 1, ['render'])
  for (let i = 1; i <= 40; i++) folder.run(`1.0.${i}`, 1)
  const names = () => exchange(folder.file, [], assert.fail).map(([name]) => name)
  assert.deepEqual(names(), Array.from({ length: 30 }, (_, i) => `1.0.${40 - i}`))
  assert.equal(folder.start('2.0.0').change('render'), 'new since version 2.0.0')
  first.exchange()
  assert.ok(names().includes('1.0.0'))
  assert.equal(folder.start('2.0.0').change('render'), null)
})

test('a new function counts once, however many processes and starts it blocks in', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1')
  const first = folder.start('1.8.2')
  const counted = [
    first.note(blockOf('render', {}, { ongoing: true })),
    first.note(blockOf('render')),
    first.note(blockOf('render')),
    first.note(blockOf('parse'))
  ]
  assert.deepEqual(counted.map((change) => change?.exact), [undefined, true, undefined, undefined])
  first.exchange()
  assert.equal(folder.start('1.8.2').note(blockOf('render')), null)
})

/** @param {ReturnType<ReturnType<typeof makeFolder>['start']>} running @param {number[]} lengths */
function block (running, lengths) {
  for (const durationMs of lengths) running.note(blockOf('parse', {}, { durationMs }))
  running.exchange()
}
const EIGHT = [36, 37, 38, 39, 40, 41, 42, 43]

test('a function whose blocks take twice as long as in the earlier version says how long they took', (t) => {
  const folder = makeFolder(t)
  block(folder.start('1.8.1'), EIGHT)
  const now = folder.start('1.8.2')
  block(now, EIGHT.slice(1, 3).map((ms) => 2.5 * ms))
  assert.equal(now.change('parse'), null, 'two blocks are not enough')
  block(now, EIGHT.slice(3).map((ms) => 2.5 * ms))
  assert.equal(now.change('parse'), '≈ was 39 ms before 1.8.2', 'seven are not certain')
  block(now, [99])
  const change = now.changeOf(blockOf('parse')) ?? assert.fail()
  assert.deepEqual([change.kind, change.text, change.wasMs], ['slower', 'was 39 ms before 1.8.2', 39])
  assert.equal(now.changeOf(blockOf('parse', {}, { durationMs: 60 })), null, 'this block is not twice as long')
})

test('a function that is slower by less than half, by chance or since earlier makes no claim', (t) => {
  for (const [before, after] of [
    [EIGHT, EIGHT.map((ms) => 1.9 * ms)],
    [[20, 25, 30, 39, 40, 90, 100, 110], [30, 40, 50, 90, 95, 100, 105, 110]],
    [[40, 41, 100], [95, 100, 105]],
    [[20, 21], EIGHT.map((ms) => 9 * ms)]
  ]) {
    const folder = makeFolder(t)
    block(folder.start('1.8.1'), before)
    const now = folder.start('1.8.2')
    block(now, after)
    assert.equal(now.change('parse'), null, `${before} ${after}`)
    t.mock.timers.reset()
  }
  const folder = makeFolder(t)
  block(folder.start('1.8.0'), EIGHT)
  block(folder.start('1.8.1'), EIGHT.map((ms) => 3 * ms))
  const now = folder.start('1.8.2')
  block(now, EIGHT.map((ms) => 3 * ms))
  assert.equal(now.change('parse'), null)
})

test('a long file is written anew, with all that is in it', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1', 48, ['parse', 'render'])
  const line = fs.readFileSync(folder.file, 'utf8')
  fs.appendFileSync(folder.file, line.repeat(Math.ceil(200_000 / line.length)))
  const now = folder.start('1.8.2')
  const { size } = fs.statSync(folder.file)
  assert.ok(size < 5000, `${size}`)
  assert.deepEqual([now, folder.start('1.8.2')].map(({ change }) => ['parse', 'render', 'index'].map(change)),
    Array.from({ length: 2 }, () => [null, null, 'new since version 1.8.2']))
  assert.deepEqual([folder.damages, fs.readdirSync(path.dirname(folder.file)).length], [[], 1])
})

test('nothing is new if some lines of the file are damaged', (t) => {
  const folder = makeFolder(t)
  folder.run('1.8.1')
  fs.writeFileSync(folder.file, fs.readFileSync(folder.file, 'utf8').replace('"lib/cart.js parse"', '"lib/ca'))
  const now = folder.start('1.8.2')
  assert.deepEqual([folder.damages.length, now.change('parse'), now.change('render')], [1, null, null])
})

test('a damaged file is reported once, and the history begins anew', (t) => {
  for (const text of ['[["1.8.1",{"star', '{}\n', '[1]\n', '[["1.8.1",{"hours":5}]]\n', 'null\n', '\0\0\n']) {
    const folder = makeFolder(t)
    folder.run('1.8.1')
    fs.writeFileSync(folder.file, text)
    const now = folder.start('1.8.2')
    assert.equal(now.change('render'), null, text)
    now.note(blockOf('render'))
    now.exchange()
    folder.run('1.8.2')
    assert.equal(folder.damages.length, 1, text)
    assert.deepEqual([folder.start('1.8.3').change('render'), folder.start('1.8.3').change('index')],
      [null, 'new since version 1.8.3'])
    t.mock.timers.reset()
  }
})

test('a block is written at once if it tells something, and what others have written is read within a minute', () => {
  const history = new FunctionHistory({ version: '1.8.1', root: ROOT })
  let written = 0
  const writer = { isIdle: true, keepHistory: () => { written++ } }
  const now = performance.now()
  history.poll(now, writer)
  assert.equal(written, 0)
  history.note(blockOf('parse', {}, { ongoing: true }))
  history.poll(now, { ...writer, isIdle: false })
  assert.equal(written, 0, 'the disk hangs')
  history.poll(now, writer)
  history.note(blockOf('parse', {}, { ongoing: true }))
  history.poll(now + 59_000, writer)
  assert.equal(written, 1)
  history.poll(now + 61_000, writer)
  assert.equal(written, 2)
})

test('the version is that of the application, and each of its programs has a file', (t) => {
  const dir = makeDir(t)
  /** @type {any} */
  const packages = {
    [ROOT]: { name: '@acme/shop', version: '1.8.2' },
    [`${ROOT}/src`]: { name: 'types-only', version: null },
    '/usr/lib/node_modules/pm2': { name: 'pm2', version: '6.0.14' }
  }
  const open = (/** @type {string | null} */ main, appVersion = undefined, threshold = 50) => {
    const data = /** @type {any} */ ({ options: { dir, appVersion, threshold }, main })
    const history = openHistory(data, (each) => packages[each] ?? null)
    history?.note(blockOf('parse'))
    return history && [[...history.versions.keys()].join(), path.basename(`${history.file}`)]
  }
  assert.deepEqual(open(`${ROOT}/src/server.js`), ['1.8.2', `functions-_acme_shop-src_server.js-50-${version}.jsonl`])
  assert.deepEqual(open(`${ROOT}/worker.js`), ['1.8.2', `functions-_acme_shop-worker.js-50-${version}.jsonl`])
  assert.deepEqual(open(`${ROOT}/worker.js`, /** @type {any} */ ('abc12'))?.[0], 'abc12')
  assert.equal(open('/usr/lib/node_modules/pm2/lib/ProcessContainer.js'), null)
  assert.equal(open('/srv/other/server.js'), null)
  assert.equal(open(null), null)
  assert.match(`${open(`${ROOT}/worker.js`, undefined, 20)}`, /worker\.js-20-/, 'more functions are blocks then')
})
