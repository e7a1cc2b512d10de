'use strict'

// A real package with a known slow input blocks a real application. It needs the packages of test/.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { adviceOf } = require('../../lib/explain/advice/advice')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const PACKAGES = path.join(__dirname, '..', 'node_modules')
const KNOWN = 'known: CVE-2026-59887, fixed in linkify-it 5.0.2'

/** Doubles the input until it blocks: machines and versions differ. */
const APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, dir: 'blocks', threshold: 40 })
const { setTimeout: sleep } = require('node:timers/promises')
const LinkifyIt = require('linkify-it')
function findLinks (text) {
  return new LinkifyIt().match(text)
}
void async function () {
  await sleep(500)
  for (let count = 4000, tookMs = 0; tookMs < 500; count *= 2) {
    const from = process.cpuUsage()
    findLinks('mailto:'.repeat(count))
    tookMs = process.cpuUsage(from).user / 1000
    await sleep(300)
  }
  await sleep(1000)
  process.stderr.write(JSON.stringify(await agent.blocks()) + '\\n')
  await agent.stop()
}()`

/**
 * The longest block, and the log.
 * @param {import('node:test').TestContext} t @param {string} installed its folder in test/node_modules
 */
async function block (t, installed) {
  const dir = makeDir(t)
  for (const [name, from] of [['linkify-it', installed], ['uc.micro', 'uc.micro']]) {
    fs.cpSync(path.join(PACKAGES, from), path.join(dir, 'node_modules', name), { recursive: true })
  }
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
  const { stdout, stderr } = await startNode(t, [path.join(dir, 'app.js')], { cwd: dir }).closed
  /** @type {import('../../lib/types').BlockRecord[]} */
  const records = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  const record = records.sort((a, b) => b.durationMs - a.durationMs)[0]
  return { dir, record, stdout }
}

test('a block in a package with a known slow input names the advisory and the fixed version everywhere', async (t) => {
  const { dir, record, stdout } = await block(t, 'linkify-it')
  assert.equal(record.package?.name, 'linkify-it', JSON.stringify(record))
  const { text, link, ...issue } = record.packageIssue ?? assert.fail(JSON.stringify(record))
  assert.deepEqual(issue, { package: 'linkify-it', version: '5.0.1', id: 'CVE-2026-59887', fixed: '5.0.2' })
  assert.match(text, /"mailto:"/)
  assert.match(link, /^https:\/\/github\.com\/advisories\//)
  assert.ok(stdout.includes(`in linkify-it@5.0.1 (${KNOWN})`), stdout)
  assert.ok(adviceOf(record)[0].text.startsWith(`${KNOWN}. `), JSON.stringify(adviceOf(record)))
  const command = [path.join(ROOT, 'lib', 'cli', 'main.js'), 'blocks', path.join(dir, 'blocks')]
  const { stdout: listed } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  assert.ok(listed.includes(KNOWN), listed)
})

test('the version that mends it has no known issue, however long it takes', async (t) => {
  const { record, stdout } = await block(t, 'linkify-it-fixed')
  assert.deepEqual([record.package?.name, record.package?.version], ['linkify-it', '5.0.2'], JSON.stringify(record))
  assert.equal(record.packageIssue, undefined)
  assert.doesNotMatch(stdout, /known:/)
})
