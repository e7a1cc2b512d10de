'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { CHECKS, ELSEWHERE, judgeSupply, readCheckout } = require('./scorecard')

const ROOT = path.join(__dirname, '..', '..')
const TEST = '.github/workflows/test.yml'
const RELEASE = '.github/workflows/release.yml'
const IMAGE = 'examples/docker-compose/Dockerfile'

/** What Scorecard 5 runs by default, and the ones that it runs if asked. */
const ALL = [
  'Binary-Artifacts', 'Branch-Protection', 'CI-Tests', 'CII-Best-Practices', 'Code-Review', 'Contributors', 'Dangerous-Workflow', 'Dependency-Update-Tool', 'Fuzzing',
  'License', 'Maintained', 'Packaging', 'Pinned-Dependencies', 'SAST', 'SBOM', 'Security-Policy', 'Signed-Releases', 'Token-Permissions', 'Vulnerabilities', 'Webhooks'
]

/** @type {[name: string, file: string, from: string | RegExp, to: string, problem: RegExp][]} */
const spoiled = [
  ['Binary-Artifacts', 'lib/addon.node', '', '', /addon\.node/],
  ['CI-Tests', TEST, /pull_request:/, 'workflow_dispatch:', /tests of a pull request/],
  ['Dangerous-Workflow', TEST, /pull_request:/, 'pull_request:\n  pull_request_target:', /pull_request_target/],
  // eslint-disable-next-line no-template-curly-in-string
  ['Dangerous-Workflow', TEST, '- run: npm ci', '- run: echo "${{ github.event.pull_request.title }}"', /text of others/],
  ['Dependency-Update-Tool', '.github/dependabot.yml', 'github-actions', 'gradle', /leaves out github-actions/],
  ['Fuzzing', 'package.json', 'fast-check', 'slow-check', /fast-check/],
  ['License', 'LICENSE', /[^]*/, '', /LICENSE/],
  ['Packaging', RELEASE, 'npm publish --', 'npm pack --', /publish/],
  ['Pinned-Dependencies', TEST, /checkout@[0-9a-f]{40} # v/, 'checkout@v', /actions\/checkout@v\S+ is no commit/],
  ['Pinned-Dependencies', TEST, /checkout@([0-9a-f]{40}) # v\S+/, 'checkout@$1', /is no commit with its version/],
  ['Pinned-Dependencies', '.ci/run', 'npm ci && npm test', 'curl -fsSL https://example.com/x | sh -s -- -y', /runs what it downloads/],
  ['Pinned-Dependencies', '.ci/run', 'npm ci && npm test', 'curl --proto https \\\n  https://example.com/x | sudo bash', /runs what it downloads/],
  ['Pinned-Dependencies', '.ci/run', 'npm ci && npm test', 'bash -c "$(curl -fsSL https://example.com/x)"', /runs what it downloads/],
  ['Pinned-Dependencies', RELEASE, '- run: npm ci', '- run: npm install --global npm@latest', /installs what is newest/],
  ['Pinned-Dependencies', IMAGE, /^FROM .+$/m, 'FROM node:24', /image node:24 has no whole version/],
  ['Pinned-Dependencies', TEST, /container: .+/, 'container: rust:1', /image rust:1 has no whole version/],
  ['SAST', '.github/workflows/codeql.yml', 'pull_request:', 'workflow_dispatch:', /CodeQL/],
  ['SBOM', RELEASE, / sbom\.cdx\.json /, ' ', /list of what is in the package/],
  ['Security-Policy', 'SECURITY.md', /https:/g, 'gopher:', /links to nothing/],
  ['Security-Policy', 'SECURITY.md', 'within a week', 'at some time', /when to expect an answer/],
  ['Signed-Releases', RELEASE, /\.sigstore\.json/g, '.json', /no signature/],
  ['Token-Permissions', TEST, /^permissions:\n {2}contents: read\n/m, '', /has no permissions/],
  ['Token-Permissions', TEST, 'contents: read', 'contents: write', /every job may write contents/],
  ['Token-Permissions', TEST, 'permissions:\n  contents: read', 'permissions: write-all', /every job may write everything/],
  ['Token-Permissions', TEST, '  all:\n', '  all:\n    permissions:\n      packages: write\n', /all may write packages/],
  ['Branch-Protection', '.github/CODEOWNERS', /^\* /m, '/docs/ ', /not every file/],
  ['Branch-Protection', 'package.json', '"license"', '"repository": "github:somebody/loopwatch",\n  "license"', /@somebody does/]
]

test('release:check judges each check of Scorecard, or says why no file can', () => {
  assert.deepEqual([...Object.keys(CHECKS), ...Object.keys(ELSEWHERE)].sort(), ALL)
})

test('Scorecard has nothing to say about this checkout, and finds each thing that could be wrong', (t) => {
  if (!fs.existsSync(path.join(ROOT, '.git'))) {
    assert.notEqual(process.env.CI, 'true', 'CI runs in a checkout of git')
    return t.skip('needs a checkout of git')
  }
  const checkout = readCheckout(ROOT)
  assert.deepEqual(judgeSupply(checkout), [])
  for (const [name, file, from, to, expected] of spoiled) {
    const before = checkout.get(file) ?? ''
    const after = before.replace(from, to)
    assert.ok(before !== after || !checkout.has(file), `${file} has no ${from}`)
    const problems = judgeSupply(new Map([...checkout, [file, after]]))
    assert.ok(problems.length > 0 && problems.every((problem) => problem.startsWith(`${name}: `) && expected.test(problem)), `${name} ${file} ${to}: ${problems.join('\n')}`)
  }
  const uncovered = Object.keys(CHECKS).filter((name) => !spoiled.some(([spoils]) => spoils === name))
  assert.deepEqual(uncovered, [])
})
