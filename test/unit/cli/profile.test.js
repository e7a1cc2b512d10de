'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('../../support/files')

test('a tool that is nowhere is named with the command that installs it', (t) => {
  const dir = makeDir(t)
  // Beside this repository it would be found.
  fs.cpSync(path.join(__dirname, '..', '..', '..', 'lib'), path.join(dir, 'lib'), { recursive: true })
  const { findProfiler } = require(path.join(dir, 'lib', 'cli', 'profile', 'profilers.js'))
  for (const name of ['clinic', '0x']) {
    assert.throws(() => findProfiler(name, { cwd: dir, env: { PATH: dir } }), { code: 'LOOPWATCH_ERR_PROFILER', message: new RegExp(`npm install.* ${name}`) })
  }
})
