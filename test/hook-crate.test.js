'use strict'

// The crate of the scenario hook-calls by its own tools: its property test, clippy and rustfmt.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('./support/files')
const { needs } = require('./support/tools')

const CRATE = path.join(__dirname, '..', 'scenarios', 'hook-calls', 'crate')

test('the crate is formatted, clean, tested, and names no registry but crates.io', (t) => {
  const sources = fs.readFileSync(path.join(CRATE, 'Cargo.lock'), 'utf8').match(/^source = .*/gm) ?? []
  assert.deepEqual([...new Set(sources)], ['source = "registry+https://github.com/rust-lang/crates.io-index"'])
  if (!needs(t, 'cargo')) return
  const env = { ...process.env, CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? makeDir(t) }
  for (const args of [['fmt', '--check'], ['clippy', '--locked', '--all-targets', '--', '-D', 'warnings'], ['test', '--locked']]) {
    const { status, stdout, stderr } = spawnSync('cargo', args, { cwd: CRATE, env, encoding: 'utf8' })
    assert.equal(status, 0, `cargo ${args.join(' ')}\n${stdout}${stderr}`)
  }
})
