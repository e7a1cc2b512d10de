'use strict'

// Takes a minute or two where nothing is compiled yet: Rust's formatter, linter and tests on the crate and all it
// depends on. The crate of the scenario hook-calls by its own tools: its property test, clippy and rustfmt.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { needs } = require('../support/tools')
const { diagrams } = require('../../scenarios/hook-calls/report/diagram')

const ROOT = path.join(__dirname, '..', '..')
const CRATE = path.join(ROOT, 'scenarios', 'hook-calls', 'crate')
/** Kept from run to run: compiling what the crate depends on takes most of a minute. */
const TARGET = path.join(ROOT, 'node_modules', '.cache', 'loopwatch', 'cargo')

test('the crate is formatted, clean, tested, and names no registry but crates.io', (t) => {
  const sources = fs.readFileSync(path.join(CRATE, 'Cargo.lock'), 'utf8').match(/^source = .*/gm) ?? []
  assert.deepEqual([...new Set(sources)], ['source = "registry+https://github.com/rust-lang/crates.io-index"'])
  if (!needs(t, 'cargo')) return
  const env = { ...process.env, CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? TARGET }
  for (const args of [['fmt', '--check'], ['clippy', '--locked', '--all-targets', '--', '-D', 'warnings'], ['test', '--locked']]) {
    const { status, stdout, stderr } = spawnSync('cargo', args, { cwd: CRATE, env, encoding: 'utf8' })
    assert.equal(status, 0, `cargo ${args.join(' ')}\n${stdout}${stderr}`)
  }
})

test('the README\'s diagrams are those of the report', () => {
  const dir = path.join(CRATE, '..', 'diagrams')
  const drawn = fs.readdirSync(dir).map((file) => fs.readFileSync(path.join(dir, file), 'utf8').trim())
  // On a page of GitHub a picture has no colour of the text around it.
  assert.deepEqual(drawn.sort(), diagrams.map((svg) => svg.replaceAll('currentColor', '#777')).sort())
})
