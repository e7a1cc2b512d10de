'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { adviceOf, detailOf } = require('../../../../lib/explain/advice/advice')
const { detectors } = require('../../../../lib/explain/advice/detectors')
const { builtins, cures } = require('../../../../lib/explain/advice/cures')
const { BUILTINS, ROUND_TRIP } = require('../../../../lib/explain/source/builtins')
const { causes } = require('../../../../lib/tables/causes')
const { causeDocument } = require('../../../../lib/cli/docs')
const { HEAP_PROFILE, LINKIFY_ISSUE: ISSUE, makeRecord } = require('../../../support/record')

const FILE = '/srv/app/report.js'

/** A block that slept. @param {string} call @param {string | null} target */
const asleepIn = (call, target, text = `${call} ${target}`) => {
  const { evidence } = makeRecord({})
  return { record: { cause: 'sync-io', evidence: { ...evidence, sleptIn: { call, target, text, share: 1 } } } }
}

/** @param {string | null} name @param {string | null} [file] */
const frame = (name, file = null) => ({ function: name, file, line: file === null ? null : 7, column: 3 })

/**
 * What is advised for a block in line 2 of a file.
 * @param {object} block
 * @param {string} [block.code] the line
 * @param {string[]} [block.above]
 * @param {ReturnType<typeof frame>[]} [block.below] callees, innermost first
 * @param {ReturnType<typeof frame>[]} [block.callers]
 * @param {string | null} [block.call] of the profile
 * @param {boolean} [block.builtin] whether it is a built-in
 * @param {object} [block.record]
 * @param {number[]} [block.cpuMs] of the earlier blocks
 * @param {number[]} [block.requests] in them
 * @param {string} [block.growth]
 */
function advise (block) {
  const { code = 'count()', above = ['function report () {'], below = [], callers = [] } = block
  const { call = null, builtin = true, record = {}, cpuMs = [], requests = [], growth } = block
  const lines = [...above, code, '}']
  const blamed = { function: 'report', file: FILE, line: above.length + 1, column: 3 }
  const made = makeRecord({
    frame: { ...blamed, exact: true },
    stacks: [{ count: 13, weightMs: 312.4, frames: [...below, blamed, ...callers] }],
    profile: call === null ? null : { samples: 9, call, builtin, stacks: [] },
    ...record
  })
  return adviceOf(made, lines, cpuMs.map((ms, i) => makeRecord({
    durationMs: 2 * ms, evidence: { ...makeRecord().evidence, cpuMs: ms, requests: requests[i] ?? 1 }
  })), growth)
}

const REPORT = { function: 'report', file: FILE, line: 2, column: 3 }
const PARTIAL = { name: 'partial-json', version: null, bugs: null }
const CONTINUATION = { kind: 'continuation', frame: REPORT, work: null, weightMs: 150 }
const TURN = frame('processTicksAndRejections', 'node:internal/process/task_queues')
/** @param {number} count of answers */
const betweenSteps = (count) => [{ count, weightMs: 312.4, frames: [TURN] }]
const LOADER = frame('Module._load', 'node:internal/modules/cjs/loader')
const evidence = makeRecord().evidence
const memory = { heapUsedBytes: 243e6, heapFreedBytes: 7e6, heapLimitBytes: 256e6, rssBytes: 3e8 }

/**
 * By kind: blocks that must be advised so, and blocks that must not.
 * @type {Record<string, { yes: object[], no: object[] }>}
 */
const PAIRS = {
  json: {
    yes: [{ call: 'JSON.parse', code: 'return JSON.parse(text)' }, { below: [frame('stringify')] }],
    no: [
      { code: 'for (const row of JSON.parse(small)) count(row)' },
      { call: 'sort', below: [frame('parse')] },
      { below: [frame('parse'), frame('load', '/srv/app/other.js')] },
      { record: { stacks: [{ count: 2, weightMs: 100, frames: [frame('stringify'), REPORT] }, { count: 3, weightMs: 150, frames: [REPORT] }] } },
      { call: 'JSON.parse', record: { package: PARTIAL } }
    ]
  },
  regexp: {
    yes: [
      { call: '(regular expression)', code: 'return /^(a+)+$/.test(name)' },
      { below: [frame('test')], code: 'return SLOW.test(name)', above: ['const SLOW = /^(\\w+\\s?)*$/', 'function report () {'] },
      { call: '(regular expression)', code: 'return make().test(name)' },
      { below: [frame('test')], code: 'return /^(ab)+c$/.test(name)' },
      { below: [frame('replace'), frame('clean', '/srv/app/node_modules/slow/index.js')] }
    ],
    no: [
      { code: 'if (/(a+)+$/.test(name)) count()' },
      { below: [frame('exec')], code: "db.exec('select 1')", record: { cause: 'native' } },
      { below: [frame('replace'), frame('clean', '/srv/app/clean.js')] },
      { call: 'search', builtin: false }
    ]
  },
  sync: {
    yes: [
      { call: 'pbkdf2Sync' },
      { below: [frame('readFileSync', 'node:fs')] },
      { code: "const rows = execSync('ls')", record: { cause: 'sync-io' } },
      { below: [frame('all', '/srv/app/node_modules/better-sqlite3/lib/database.js')] },
      { record: { query: { text: 'SELECT ?', durationMs: 290, count: 1, totalMs: 290 } } },
      { code: 'return all.all(name)', above: ["import { DatabaseSync } from 'node:sqlite'"], record: { cause: 'native' } },
      { below: [frame('_encipher', '/srv/app/node_modules/bcryptjs/index.js'), frame('hashSync', '/srv/app/node_modules/bcryptjs/index.js')] },
      { code: 'return bcrypt.compareSync(text, hash)', record: { cause: 'native' } }
    ],
    no: [
      { code: 'return all.all(name)', above: ["import { DatabaseSync } from 'node:sqlite'"] },
      { code: 'return all.all(name)', record: { cause: 'native' } },
      { below: [frame('hashSync', '/srv/app/node_modules/other/index.js')] },
      { code: 'const rows = readFileSync(name).map(slow)' },
      { code: 'return JSON.parse(readFileSync(name))', call: 'JSON.parse', record: { cause: 'native' } },
      { call: 'saveAllSync', record: { cause: 'native' } },
      { below: [frame('readFileSync', 'node:fs'), frame(null, 'node:internal/modules/cjs/loader')], record: { cause: 'sync-io' } },
      { below: [frame('writeSync', 'node:fs')], ...asleepIn('write', 'fd 1 (pipe)') }
    ]
  },
  lock: {
    yes: [asleepIn('nanosleep', '/srv/app/orders.db', 'waits for the lock of a SQLite database: /srv/app/orders.db')],
    no: [asleepIn('nanosleep', null)]
  },
  require: {
    yes: [
      { below: [LOADER] },
      { below: [frame('require', 'node:internal/modules/helpers')] },
      { call: 'require', builtin: false, record: { cause: 'native' } }
    ],
    no: [
      { below: [LOADER], record: { startup: true } },
      { below: [frame('require', '/srv/app/lib/own.js')] },
      { code: "require('x')" }
    ]
  },
  many: {
    yes: [{ record: { cause: 'many', evidence: { ...evidence, requests: 40 } } }],
    no: [{ record: { evidence: { ...evidence, requests: 2 } } }]
  },
  memory: {
    yes: [{ record: { cause: 'gc', evidence: { ...evidence, memory: { ...memory, isHeapFull: true } } } }],
    no: [{ record: { cause: 'gc', evidence: { ...evidence, memory: { ...memory, isHeapFull: false } } } }]
  },
  allocation: {
    yes: [{ record: { cause: 'gc', evidence: { ...evidence, gcMs: 250 } } }, { record: { evidence: { ...evidence, gcMs: 200 } } }],
    no: [
      { record: { evidence: { ...evidence, gcMs: 60 } } },
      { record: { cause: 'gc', evidence: { ...evidence, gcMs: 250, memory: { ...memory, isHeapFull: true } } } }
    ]
  },
  logging: {
    yes: [
      asleepIn('write', 'fd 1 (pipe)'),
      { below: [frame('writeUtf8String'), frame('log', 'node:internal/console/constructor')] },
      { below: [frame('writeSync', 'node:fs'), frame('flush', '/srv/app/node_modules/sonic-boom/index.js')] }
    ],
    no: [asleepIn('write', 'fd 1 (/var/log/shop.log)'), asleepIn('write', 'fd 17 (pipe)'), { code: "console.log('once')" }, { below: [frame('child', '/srv/app/node_modules/pino/lib/proto.js')] }]
  },
  microtasks: {
    yes: [
      { callers: [TURN], code: '  await step(i)', above: ['async function report () {', 'for (const i of list) {'] },
      { callers: [TURN], code: '  count(JSON.stringify(i))', above: ['async function report () {', 'for await (const i of list) {'], record: { cause: 'native', callbacks: [CONTINUATION, CONTINUATION] } },
      { code: '  count(JSON.stringify(i))', above: ['async function report () {', 'for await (const i of list) {'], call: 'JSON.stringify', record: { stacks: betweenSteps(2) } }
    ],
    no: [
      { code: '  count(JSON.stringify(i))', above: ['async function report () {', 'for await (const i of list) {'], call: 'JSON.stringify', record: { stacks: betweenSteps(1) } },
      { callers: [TURN], code: 'spin()' },
      { callers: [TURN], code: '  spin(row)', above: ['const rows = await query()', 'for (const row of rows) {'] },
      { callers: [TURN], code: '    n += i', above: ['for await (const row of rows) {', '  for (let i = 0; i < row; i++) {'], record: { } },
      { callers: [TURN], code: `${'x'.repeat(900)};for(;;){await null}` },
      { callers: [TURN], code: '  await step(i)', above: ['async function report () {', 'for (;;) {'], below: [frame('step', '/srv/app/step.js')] },
      { callers: [frame('emit', 'node:events')], code: '  await step(i)', above: ['async function report () {', 'for (;;) {'] },
      { callers: [TURN], code: '  html += JSON.stringify(await step(i))', above: ['for (const i of list) {'], call: 'JSON.stringify', record: { cause: 'native' } }
    ]
  },
  mapping: {
    yes: [
      { below: [frame('build', '/srv/app/node_modules/sequelize/lib/model.js')] },
      { record: { package: { name: 'mongoose', version: null, bugs: null } } }
    ],
    no: [{ below: [frame('parse', '/srv/app/node_modules/pg/lib/query.js')] }]
  },
  template: {
    yes: [{ below: [frame('render', '/srv/app/node_modules/ejs/lib/ejs.js')] }],
    no: [{ below: [frame('render', '/srv/app/lib/ejs.js')] }]
  },
  sort: {
    yes: [
      { call: 'sort' },
      { below: [frame('sort')], code: 'list.sort((a, b) => a.localeCompare(b))' },
      { callers: [frame('sort'), frame('list', FILE)], code: 'list.sort((a, b) => keyOf(a) - keyOf(b))' }
    ],
    no: [
      { code: 'list.sort().map(slow)' },
      { code: 'list.sort(byName).map((row) => slow(row))' },
      { call: 'sort', builtin: false },
      // A short sort in another line of the block.
      { record: { stacks: [{ count: 13, weightMs: 312.4, frames: [frame('sort'), frame('list', FILE)] }] } }
    ]
  },
  search: {
    yes: [
      { code: '  const group = groups.find(({ id }) => id === row.id)', above: ['for (const row of rows) {'] },
      { code: 'return rows.filter((row) => known.includes(row.id))' }
    ],
    no: [
      { code: 'return groups.find(({ id }) => id === own)', above: ['for (const row of rows) {', '  count(row)', '}'] },
      { code: '  count(row)', above: ['for (const row of rows) {', 'const first = rows.find(isOpen)'] },
      { call: 'includes', code: 'return rows.filter((row) => known.includes(row.id))' },
      { code: 'return rows.filter((row) => known.includes(row.id))', record: { cause: 'sync-io' } }
    ]
  },
  builtin: {
    yes: [{ call: 'shift' }, { call: 'toLocaleString' }, { record: { probable: { call: 'spread', line: 2 } } }],
    no: [
      { call: 'JSON.parse' },
      { call: 'test', code: 'return /^(a+)+$/.test(name)' },
      { call: 'search', builtin: false },
      { record: { probable: { call: 'spread', line: 1 }, profile: { samples: 9, call: null, builtin: false, stacks: [] } } }
    ]
  },
  computes: {
    yes: [{}, { record: { cause: 'native' } }, { record: { frame: null, package: PARTIAL } }, { call: 'search', builtin: false }],
    no: [
      { call: 'shift' },
      { record: { startup: true } },
      { record: { cause: 'sync-io' } },
      { record: { cause: 'gc' } },
      { record: { frame: null } },
      { record: { frame: { ...REPORT, file: '/srv/app/node_modules/x/i.js', exact: true } } }
    ]
  },
  packageIssue: {
    yes: [{ record: { packageIssue: ISSUE } }],
    no: [{ record: { package: PARTIAL } }]
  },
  report: {
    yes: [{ below: [frame('getReport', 'node:internal/process/report')] }],
    no: [{ below: [frame('getReport', '/srv/app/lib/report.js')] }]
  },
  tls: {
    yes: [{ below: [frame('createSecureContext', 'node:_tls_common')] }],
    no: [{ below: [frame('onhandshakedone', 'node:_tls_wrap')] }]
  },
  size: {
    yes: [{ growth: '9 blocks: time grows in proportion to the body (2.1 s at 512 kB)' }],
    no: [{}, { growth: '' }]
  },
  growth: {
    yes: [{ cpuMs: [50, 60, 70, 90, 120, 150, 200] }],
    no: [
      ...[[50, 200, 50, 200, 50, 200, 60], [50, 200], [100, 101, 103, 104, 106, 108]].map((cpuMs) => ({ cpuMs })),
      // A handler that takes the same time each call, in turns that hold more and more requests.
      { cpuMs: [200, 200, 400, 600, 800, 1000, 1000], requests: [1, 1, 2, 3, 4, 5, 5] }
    ]
  }
}

test('advice names the module that asks for DNS names, and the server that does not answer', () => {
  const below = [frame('getReport', 'node:internal/process/report')]
  const told = (/** @type {object} */ block) => advise(block).find(({ kind }) => kind === 'report')?.text ?? ''
  assert.match(told({ below, ...asleepIn('poll', 'a UDP socket to 10.0.0.2:53') }), /waited for the name server 10\.0\.0\.2\. Set/)
  assert.match(told({ below: [...below, frame('getReport', '/srv/app/node_modules/detect-libc/lib/process.js')] }), /update it to 2\.1\.2/)
  assert.doesNotMatch(told({ below }), /waited|update/)
})

test('whoever waits for the lock of a database is not advised to give the query an index', () => {
  const waiting = asleepIn('nanosleep', '/srv/app/orders.db', 'waits for the lock of a SQLite database: /srv/app/orders.db')
  const texts = advise({ ...waiting, code: 'return all.all(name)', above: ["import { DatabaseSync } from 'node:sqlite'"] }).map(({ text }) => text)
  assert.equal(texts.length, 1, texts.join('\n'))
  assert.match(texts[0], /^The thread waits for the lock of a SQLite database: \/srv\/app\/orders\.db\. .* Keep transactions short/)
})

test('every detector has blocks that it must and that it must not speak of', () => {
  assert.deepEqual(Object.keys(PAIRS).sort(), Object.keys(detectors).sort())
})

for (const [kind, { yes, no }] of Object.entries(PAIRS)) {
  test(`${kind}: is advised where it is the reason, and nowhere else`, () => {
    for (const block of yes) assert.ok(advise(block).some((advice) => advice.kind === kind), JSON.stringify(block))
    for (const block of no) assert.ok(!advise(block).some((advice) => advice.kind === kind), JSON.stringify(block))
  })
}

test('advice names the call, its twin and its pattern, never what went into it', () => {
  assert.match(advise({ call: 'pbkdf2Sync' })[0].text, /^pbkdf2Sync blocks .*crypto\.pbkdf2 with a callback/)
  assert.match(advise({ call: 'writeSync' })[0].text, / done\. FileHandle\.write \(fs\.promises\.open\) does not block it\.$/)
  const inBcrypt = ['hashSync', 'compareSync'].map((name) => frame(name, '/srv/app/node_modules/bcryptjs/index.js'))
  assert.match(advise({ below: inBcrypt })[0].text, /^compareSync blocks .* compare\(\) of bcrypt does/)
  assert.match(advise({ call: '(regular expression)', code: 'return /^(a+)+$/.test(name)' })[0].text, /pattern \/\^\(a\+\)\+\$\/ /)
  assert.doesNotMatch(advise({ call: 'JSON.parse', record: { durationMs: 500 } })[0].text, /MB/, 'a duration is no size')
})

test('a pattern backtracks only if it may: elsewhere it runs often, or over a long text', () => {
  const textOf = (/** @type {string} */ code, /** @type {object} */ more = { call: '(regular expression)' }) => advise({ code, ...more })[0].text
  assert.match(textOf("return token.replace(/~/g, '~0')"), /^A regular expression runs often or searches a long text\. /)
  assert.match(textOf('return /\\s*\\s+$/.test(name)'), /^Parts of the pattern .* repeat the same characters /)
  assert.match(textOf('return make().test(name)'), /^A regular expression backtracks, runs often or searches a long text\. /)
  const inPackage = { below: [frame('exec'), frame('clean', '/srv/app/node_modules/slow/index.js')] }
  assert.match(textOf('clean(text)', inPackage), /^A regular expression of slow backtracks, /)
})

test('how often a call was made is in its advice, if the answers to interrupts show it', () => {
  const textOf = (/** @type {string} */ call, /** @type {object} */ record) => advise({ call, record })[0].text
  const once = { cause: 'native', samples: 1, evidence: { ...evidence, answerMs: 260, nativeMs: 260 } }
  assert.match(textOf('JSON.parse', once), /^JSON\.parse \(one call\) processes /)
  assert.match(textOf('pbkdf2Sync', once), /^pbkdf2Sync \(one call\) blocks /)
  assert.match(textOf('JSON.parse', {}), /^JSON\.parse was called many times in one turn\. Parse less often/)
  assert.match(textOf('JSON.stringify', {}), /^JSON\.stringify processes /, 'it answers while it runs')
  assert.match(textOf('JSON.parse', { ...once, samples: 2 }), /^JSON\.parse processes /)
})

test('a known issue comes first: its identifier, the version that mends it, what is slow, and a link', () => {
  const [first] = advise({ call: 'sort', record: { packageIssue: ISSUE } })
  assert.equal(first.text, 'known: CVE-2026-59887, fixed in linkify-it 5.0.2. A text with many "mailto:" takes quadratic time. ' +
    'https://github.com/advisories/GHSA-v245-v573-v5vm')
})

test('advice on collections names the functions that allocate, by a heap profile', () => {
  const text = (/** @type {object | undefined} */ heapProfile) => adviceOf(makeRecord({
    cause: 'gc', evidence: { ...evidence, gcMs: 250, memory: /** @type {any} */ ({ ...memory, heapProfile }) }
  }))[0].text
  assert.match(text(HEAP_PROFILE), / By a heap profile, memory was allocated: 64% in toPage \(shop\/pages\.js:18\), 12% in addSession /)
  assert.doesNotMatch(text({ ...HEAP_PROFILE, allocatedBy: undefined }), /heap profile/)
})

test('advice on collections counts them without their waits for a CPU, as the parts of the block do', () => {
  const parts = { js: 12.4, native: 0, gc: 100, asleep: 0, waiting: 200, stopped: 0, unexplained: 0 }
  const [{ text }] = adviceOf(makeRecord({ cause: 'gc', parts, evidence: { ...evidence, gcMs: 300 } }))
  assert.match(text, /^The garbage collector took 32% of the time\./)
})

test('where nothing else is advised, the package or the function that computes is named', () => {
  assert.equal(advise({ record: { package: PARTIAL } })[0].text, 'partial-json computes in one turn. Give it less, or run it in a worker thread.')
  assert.match(advise({})[0].text, /^report computes for 312 ms in one turn\. Do less per turn/)
  assert.match(advise({ record: { frame: { ...REPORT, exact: false } } })[0].text, /^This code computes for 312 ms /)
})

test('every built-in that a line can be named by has advice', () => {
  for (const call of [...BUILTINS, ROUND_TRIP]) assert.ok(advise({ call }).some(({ text }) => [`${call} `, `${call}() `].some((start) => text.startsWith(start)) || call === 'sort' || call === 'toSorted'), call)
})

test('advice has how the time grows with the body, over all blocks of the function, and what that asks for', () => {
  const body = '/srv/app/report.js'
  const blocks = Array.from({ length: 9 }, (_, i) => makeRecord({
    id: `1-${i}`,
    startedAt: `2026-11-21T10:00:0${i}.000Z`,
    durationMs: 32000 / 2 ** i,
    frame: { function: 'report', file: body, line: 40 + i, column: 3, exact: true },
    stacks: [],
    request: { ...makeRecord().request, bytesIn: 1024 * 2 ** (9 - i) }
  }))
  const other = makeRecord({ durationMs: 50, frame: { function: 'other', file: body, line: 9, column: 1, exact: true } })
  const texts = detailOf(blocks[0], null, () => [...blocks, other]).advice.map(({ text }) => text)
  assert.equal(texts[0], '9 blocks: time grows in proportion to the body (32.0 s at 512 kB). ' +
    'Limit its size, or process it in parts.')
  assert.match(texts[1], /^report computes for 32000 ms in one turn\. /)
  const constant = blocks.map((block) => ({ ...block, durationMs: 400 }))
  assert.match(detailOf(constant[0], null, () => [...constant, other]).advice[0].text,
    /^9 blocks: time does not depend on the body .*\. A limit on its size would not help\.$/)
  const none = detailOf(blocks[0], null, () => [...blocks.slice(2), other]).advice
  assert.ok(none.every(({ kind }) => kind !== 'size'), JSON.stringify(none))
})

test('at most three are given, and none where no code is to blame or nothing is known', () => {
  const all = advise({ call: 'sort', below: [LOADER, frame('render', '/srv/app/node_modules/ejs/x.js')], record: { cause: 'gc', evidence: { ...evidence, gcMs: 300, requests: 9 } } })
  assert.equal(all.length, 3)
  assert.deepEqual(advise({ call: 'sort', record: { cause: 'starved' } }), [])
  assert.deepEqual(advise({ record: { startup: true } }), [])
  assert.deepEqual(adviceOf(makeRecord({ frame: null, stacks: [], samples: 0, cause: 'unknown' })), [])
})

const plain = (/** @type {string} */ text) => text.replaceAll(/`|[*][*]/g, '').replace(/\s+/g, ' ')

test('the document of a cause advises the same as its blocks do, and nothing else', () => {
  assert.deepEqual([...new Set(Object.values(detectors).map(({ doc }) => doc))].sort(), Object.keys(cures).sort())
  for (const name of Object.keys(causes)) {
    const [, section = ''] = (causeDocument(name) ?? '').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').split('## Advice for specific findings\n')
    const items = section.split(/^## /m)[0].split(/^- /m).slice(1).map((item) => plain(item).trim())
    const texts = Object.values(Object.hasOwn(cures, name) ? cures[/** @type {keyof typeof cures} */ (name)] : {})
    for (const text of texts) assert.ok(items.some((item) => item.endsWith(`. ${text}`)), `docs/causes/${name}.md lacks: ${text}`)
    for (const item of items) assert.ok(texts.some((text) => item.endsWith(`. ${text}`)), `lib/explain/advice/cures.js lacks: ${item}`)
  }
})

test('the table of calls is the same in the document', () => {
  const rows = [...`${causeDocument('native')}`.matchAll(/^\| (`.*`) \| (.*) \|$/gm)]
  const calls = rows.flatMap(([, names, text]) => names.split(', ').map((name) => [plain(name), text]))
  assert.deepEqual(calls, [...builtins])
})
