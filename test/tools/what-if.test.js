'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { whatIf } = require('../../lib/cli/diagnose/what-if/what-if')
const { WhatIfFile } = require('../../lib/store/what-if')

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')

/** Each route has one function that blocks. */
const APP = `
const http = require('node:http')
const rates = { tax: 3 }
const orders = Array.from({ length: 100000 }, (_, id) => ({ id, customer: 'c' + id, amount: id % 97 }))
function score (customer) {
  for (const end = performance.now() + rates.tax * 10; performance.now() < end;);
  return { customer }
}
const total = (list, ms) => {
  for (const end = performance.now() + ms; performance.now() < end;);
  return list.length
}
const counting = (() => {
  let calls = 0
  return function count (ms) {
    for (const end = performance.now() + ms; performance.now() < end;);
    return ++calls
  }
})()
http.createServer((request, response) => {
  if (request.url === '/score') response.end(score(7).customer + '')
  else if (request.url === '/total') response.end(total(orders, 30) + '')
  else response.end(counting(30) + '')
}).listen(0)
`

/** @param {import('node:test').TestContext} t @param {string} route */
async function diagnose (t, route) {
  const cwd = makeDir(t)
  fs.writeFileSync(path.join(cwd, 'app.js'), APP)
  const dir = path.join(cwd, 'records')
  const args = ['diagnose', '--dir', dir, '--no-open', '--tool', 'none', '--what-if', '--seconds', '3', '--on-port', route, '--', 'node', './app.js']
  const { code, stdout, stderr } = await startNode(t, [CLI, ...args], { cwd }).closed
  assert.equal(code, 0, stderr)
  const folder = path.join(cwd, 'loopwatch-profiles', fs.readdirSync(path.join(cwd, 'loopwatch-profiles'))[0])
  const found = JSON.parse(fs.readFileSync(path.join(folder, 'what-if.json'), 'utf8'))
  assert.ok(stdout.includes(found.sentence), stdout)
  const [left] = new WhatIfFile(dir, (_, error) => { throw error }).read()
  assert.deepEqual([left.function, left.file, left.verdict], [found.function, found.file, found.verdict])
  assert.ok(fs.readFileSync(path.join(folder, 'diagnosis.html'), 'utf8').includes(`What if ${found.function} ran in`), found.function)
  return found
}

test('small arguments for much work: it pays, above all for others; and the costs are those of these arguments', { timeout: 60000 }, async (t) => {
  const { function: name, verdict, costs, routes, workMs, sentence } = await diagnose(t, '/score')
  assert.deepEqual([name, verdict], ['score', 'pays'], sentence)
  assert.ok(workMs >= 25 && costs.sendMs < workMs / 10 && costs.receiveMs < workMs / 10, JSON.stringify(costs))
  const others = routes.find((/** @type {{ route: string }} */ { route }) => route === 'any other request')
  assert.ok(others.before.p99Ms > 2 * others.after.p99Ms && others.before.p99Ms >= 30, JSON.stringify(others))
  assert.ok(routes.some((/** @type {{ route: string }} */ { route }) => route === 'GET /score'))
})

test('a large argument of an arrow function is measured, and does not pay', { timeout: 60000 }, async (t) => {
  const cwd = makeDir(t)
  const file = path.join(cwd, 'app.js')
  fs.writeFileSync(file, APP)
  // The place is given: what blocks may as well be charged to the handler that calls it.
  const site = { name: 'total', file, line: APP.split('\n').findIndex((line) => line.includes('performance.now() + ms')) + 1 }
  const none = { needs: /** @type {const} */ ('clinic'), args: () => [], ending: /** @type {const} */ ('exit'), outlivesKill: true, fault: () => null }
  const { verdict, costs, sentence } = await whatIf(site, { node: process.execPath, args: [file] }, cwd, { seconds: 3, onPort: '/total' }, none)
  assert.equal(verdict, 'does not pay', sentence)
  assert.ok(costs !== null && costs.sendMs > 5 && costs.receiveMs < costs.sendMs / 5, JSON.stringify(costs))
  assert.match(sentence, /What it is given costs most/)
})

test('a function that closes over variables is unknown, and they are named', { timeout: 60000 }, async (t) => {
  const { verdict, sentence } = await diagnose(t, '/count')
  assert.equal(verdict, 'unknown')
  assert.match(sentence, /^Whether it pays to move count to a worker thread is unknown: it closes over `calls`\.$/)
})
