'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { demoBlocks, demoJobs } = require('../../support/scenarios/demo')

const FOLDER = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo')

test('the README lists every request and job that blocks with its function and cause', () => {
  const readme = fs.readFileSync(path.join(FOLDER, 'README.md'), 'utf8')
  for (const [route, name, cause] of [...demoBlocks, ...demoJobs]) {
    assert.match(readme, new RegExp(`^\\| \`${route}\` \\| \`${name}\` \\|.*\\| \`${cause}\` \\|$`, 'm'))
  }
})
