'use strict'

// A real server with a handler that is quadratic in the body of its requests.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const THRESHOLD_MS = 20
/** CPU time of the smallest body: blocks of less than two thresholds do not count. */
const LEAST_MS = 50
const WARM_UP = 30
/** Ten sizes over a range of five. */
const SIZES = 10
const FACTOR = 1.2
/** Rounds on a machine so busy that blocks are excused. */
const ROUNDS = 4

/** Each answer is the CPU time that it took, as a busy machine takes longer. */
const APP = `
const http = require('node:http')
const agent = require(${JSON.stringify(ROOT)}).start({ port: 0, threshold: ${THRESHOLD_MS}, requests: 'on' })
function pairs (bytes) {
  let count = 0
  for (let i = 0; i < bytes.length; i++) {
    for (let j = 0; j < i; j++) if (bytes[i] === bytes[j]) count++
  }
  return count
}
http.createServer((request, response) => {
  const parts = []
  request.on('data', (part) => { parts.push(part) })
  request.on('end', () => {
    const from = process.cpuUsage()
    pairs(Buffer.concat(parts))
    response.end(String(process.cpuUsage(from).user / 1000))
  })
}).listen(0, '127.0.0.1', async function () {
  const { url } = await agent.ready
  process.stderr.write(JSON.stringify({ port: this.address().port, url }) + '\\n')
})`

test('a function whose time grows with the square of the body says so in its row and in its advice', async (t) => {
  const dir = makeDir(t)
  const file = path.join(dir, 'app.js')
  fs.writeFileSync(file, APP)
  const { out } = startNode(t, [file])
  const { port, url } = await eventually(() => /^\{.*\}$/m.test(out.stderr) && JSON.parse(out.stderr), () => out.stderr)
  const post = async (/** @type {number} */ size) => {
    const body = 'abcdefgh'.repeat(size / 8)
    return Number(await (await fetch(`http://127.0.0.1:${port}/text`, { method: 'POST', body })).text())
  }
  let size = 2048
  // Compiled, the function is faster.
  for (let i = 0; i < WARM_UP; i++) await post(size)
  while (await post(size) < LEAST_MS) size *= 1.3
  const top = () => {
    const command = [path.join(ROOT, 'lib', 'cli', 'main.js'), 'blocks', url.replace('http://', ''), '--top']
    return spawnSync(process.execPath, command, { encoding: 'utf8' }).stdout
  }
  const growth = /\d+ blocks: time grows with the square of the body \(.*s at \d+ kB\)/
  const row = new RegExp(`^  pairs \\(.*\\n    ${growth.source}$`, 'm')
  for (let round = 0; round < ROUNDS && !row.test(top()); round++) {
    for (let i = 0; i < SIZES; i++) await post(size * FACTOR ** i)
  }
  const blocks = /** @type {any[]} */ (await (await fetch(`${url}/blocks`)).json())
    .filter(({ frame }) => frame?.function === 'pairs')
  const sizes = blocks.map(({ durationMs, request }) => `${durationMs} ms for ${request?.bytesIn} bytes`)
  assert.match(top(), row, `${top()}${sizes.join('\n')}`)
  const { advice } = await eventually(async () =>
    /** @type {any} */ (await (await fetch(`${url}/block?id=${blocks[0].id}`)).json()), 'the block')
  assert.match(advice.map((/** @type {any} */ { text }) => text).join('\n'), growth)
})
