'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { whereAt } = require('../../../../lib/cli/test/offences')
const { nameAt } = require('../../../../lib/explain/source/function-names')
const { SourceReader } = require('../../../../lib/watchdog/source/source-reader')

/** The name of the function at the mark ¦. @param {string} marked */
const name = (marked) => nameAt(marked.replace('¦', ''), marked.indexOf('¦'))

const EXPRESS = `const app = express()
app.get('/json', (req, res) => {
  if (req.query.rows > (1)) {
    res.json(¦JSON.parse(text))
  }
})`

for (const [source, expected] of [
  [EXPRESS, 'GET /json handler'],
  ["router.post(\n  '/login',\n  check,\n  async function (req, res) {\n ¦ hash()\n})", 'POST /login handler'],
  ["app.get('/wrapped', wrap(async (req, res) => {\n  for (const a of b) { ¦work() }\n}))", 'GET /wrapped handler'],
  ["app.all('/any', (req, res) => ¦work())", '/any handler'],
  ["app.get('/typed', async (req: Request, res: Response): Promise<void> => {\n  ¦work()\n})", 'GET /typed handler'],
  ["app.delete('/orders', (req, res) => ¦work())", 'DELETE /orders handler'],
  ['load().catch((error) => ¦work(error))', 'callback of Promise.catch'],
  ["map.get('key', () => ¦work())", "callback of map.get('key')"],
  ['setTimeout(() => {\n  ¦work()\n}, 10)', 'callback of setTimeout'],
  ['setTimeout(() => ¦work(), 10)', 'callback of setTimeout'],
  ['setImmediate(function () { ¦work() })', 'callback of setImmediate'],
  ['fetch(url)\n  .then((response) => response.json())\n  .then(rows => ¦work(rows))', 'callback of Promise.then'],
  ["server.on('request', (request, response) => { ¦work() })", "callback of server.on('request')"],
  ['http.createServer((request, response) => {\n  const a = { b: [1, 2, (3)] }\n  ¦work()\n}).listen(0)', 'callback of http.createServer'],
  ['http.createServer(¦async (request, response) => {\n  work()\n})', 'callback of http.createServer'],
  ['const load = ¦async id => work(id)', 'load'],
  ['new Promise((resolve) => { ¦work() })', 'callback of new Promise'],
  ['rows.map((row) => ¦work(row))', 'callback of rows.map'],
  ['const { a } = make(\n  { job: () => ¦work() })', 'job'],
  ["const jobs = { 'send mail': async () => { ¦work() } }", 'send mail'],
  ['module.exports.run = async () => { ¦work() }', 'exports.run'],
  ['Parser.prototype.parse = function () { ¦work() }', 'Parser.parse'],
  ["node_cron_1.default.schedule('* * *', () => { ¦work() }, { name: 'tidy-up' })", "callback of node_cron.schedule('* * *')"],
  ['new Cron(() => {\n  cron.schedule(every, async () => {\n ¦work()\n}, { name })\n})', 'callback of cron.schedule'],
  ['const rank = (rows) => ¦work()', 'rank'],
  ['(async () => {\n  await begin()\n  ¦work()\n})()', 'immediately invoked function'],
  ['const text = "(" // {\nconst re = /[({]/\n¦work()', 'top level'],
  ['setTimeout(() => {})\n¦work()', 'top level'],
  ['const f = (x) => x + 1\n¦work()', 'top level'],
  ['class A { static x = () => {}\n  run () { ¦work() } }', 'run'],
  // A function that has only just been entered, and the place that a CPU profile gives.
  ["app.get('/json', ¦(req, res) => { work() })", 'GET /json handler'],
  ["app.get('/json', async ¦(req, res) => { work() })", 'GET /json handler'],
  ['setTimeout(function ¦() { work() }, 10)', 'callback of setTimeout'],
  ['setTimeout(function tick¦() { work() }, 10)', 'tick'],
  ['rows.map(¦row => work(row))', 'callback of rows.map']
]) {
  test(`a function without a name is called ${expected} in: ${source.split('\n').join(' ').slice(0, 60)}`, () => {
    assert.equal(name(source), expected)
  })
}

test('nothing is made up where the source does not tell', () => {
  for (const source of ['[() => { ¦work() }]', 'f(a)(() => { ¦work() })', '} ¦work()', 'return () => ¦work()']) {
    assert.ok([null, 'callback of f', 'immediately invoked function'].includes(name(source)), `${source}: ${name(source)}`)
  }
  assert.equal(name('} ¦work()'), null, 'brackets that do not match')
})

test('a frame is named by its file, which is read once; code that is not the file\'s is not', () => {
  /** @type {string[]} */
  const asked = []
  const read = (/** @type {string} */ file) => {
    asked.push(file)
    return file.includes('missing') ? null : '\nsetTimeout(() => {\n  work()\n}, 1)\n'
  }
  const { frames } = new SourceReader({ post: () => {}, say: () => {}, stripsTypes: false, read })
  const frame = { function: null, file: '/srv/app.js', line: 3, column: 3 }
  assert.equal(frames.named(frame).function, 'callback of setTimeout')
  assert.equal(frames.named(frame).function, 'callback of setTimeout')
  assert.deepEqual(asked, ['/srv/app.js'])
  for (const other of [{ file: null }, { line: null }, { compiled: true }, { file: '/srv/missing.js' }, { line: 99 }]) {
    assert.equal(frames.named({ ...frame, ...other }).function, null, JSON.stringify(other))
  }
})

test('functions without a name are told apart by what is around them, wherever in the file they move', () => {
  const where = (/** @type {string} */ marked) => whereAt(marked.replace('¦', ''), marked.indexOf('¦'))
  for (const before of ['', '// moved\n\n', 'function other () { rows.map((row) => row) }\n']) {
    assert.equal(where(`${before}function total () { return rows.map((row) => ¦work(row)) }`), 'total', before)
    assert.equal(where(`${before}function total () { rows.map((row) => row)\n return rows.map((row) => ¦work(row)) }`), 'total #2')
    assert.equal(where(`${before}const mean = (rows) => rows.map((row) => {\n  ¦work(row)\n})`), 'mean')
  }
  assert.equal(where("describe('orders', () => {\n  beforeEach(() => { ¦work() })\n})"), "callback of describe('orders')")
  assert.equal(where('setInterval(() => { ¦work() }, 10)'), null)
  assert.equal(where('setInterval(() => { work() }, 10)\nsetInterval(() => { ¦work() }, 10)'), '#2')
  assert.equal(where('load.then(() => a).then(() => ¦work())'), '#2')
  assert.equal(where('¦work()'), null)
  assert.equal(where('} ¦work()'), null)
})
