'use strict'

// Files that a command makes of others: who changes the source has to run it.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { render, differences } = require('../../grafana/build')
const { readText } = require('../../lib/export/page/assets')
const { declarations, OUT } = require('../release/build-types')

const ROOT = path.join(__dirname, '..', '..')
const PAGE = path.join(ROOT, 'lib', 'export', 'page')
const SERVED = ['index.html', 'page.js', 'page.css', 'runbook.html']
const MOST_BYTES = { text: 211 * 1000, gzip: 83 * 1000 }

test('the declarations are those of the sources, no more and no fewer', () => {
  const kept = path.join(ROOT, OUT)
  const files = fs.readdirSync(kept, { recursive: true, encoding: 'utf8' }).filter((file) => fs.statSync(path.join(kept, file)).isFile())
  const made = declarations()
  assert.deepEqual(files.sort(), [...made.keys()].sort(), 'npm run declarations')
  for (const [file, text] of made) assert.equal(fs.readFileSync(path.join(kept, file), 'utf8'), text, `${file}: npm run declarations`)
  assert.ok(files.includes(path.join('host', 'agent.d.ts')) && files.length > 10, files.join(' '))
  assert.deepEqual(files.filter((file) => /^(bridge|watchdog|sense|explain)\b/.test(file)), [])
})

test('the built page is what its source builds', async () => {
  const { buildPage, readBuilt } = await import('../../lib/export/page/source/build.mjs')
  for (const [name, text] of Object.entries(await buildPage())) {
    assert.ok(readBuilt(name) === text, `${name} is stale: npm run page`)
  }
  /** @param {(name: string) => number} bytesOf */
  const sumOf = (bytesOf) => SERVED.reduce((sum, name) => sum + bytesOf(name), 0)
  const text = sumOf((name) => Buffer.byteLength(readText(name)))
  const gzip = sumOf((name) => fs.statSync(path.join(PAGE, `${name}.gz`)).size)
  assert.ok(text <= MOST_BYTES.text && gzip <= MOST_BYTES.gzip, `${text} bytes, ${gzip} compressed`)
})

test('the committed dashboards are those that grafana/src makes', () => {
  assert.deepEqual(differences(render()), [], 'run npm run grafana')
})
