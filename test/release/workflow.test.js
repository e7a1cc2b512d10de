'use strict'

// Takes half a minute: the package is packed three times. A tag cannot be pushed here, so the steps of release.yml run
// as GitHub runs them, each job in a checkout of its own that has nothing but what its steps install.
const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { parse } = require('yaml')
const { makeDir } = require('../support/files')
const { OWNER, OWNERS_PAGE, placesOfOwner } = require('./check')

const ROOT = path.join(__dirname, '..', '..')
const { version } = require('../../package.json')
const isGit = fs.existsSync(path.join(ROOT, '.git'))
const SKIP = process.platform === 'win32' ? 'the steps run in bash' : isGit || process.env.CI === 'true' ? false : 'needs a checkout of git'

/**
 * An npm that has no network: `ci` links what this checkout has installed for that folder, `test` is what is running
 * now, and `publish` only notes what it was given. All else is npm itself.
 */
const NPM = `#!/bin/bash
case "$1" in
  ci) rm -rf node_modules && ln -s "$TEST_ROOT\${PWD#"$TEST_CHECKOUT"}/node_modules" node_modules && echo "ci \${PWD#"$TEST_CHECKOUT"}" >> "$TEST_CALLS" ;;
  test) ;;
  publish) echo "$*" >> "$TEST_CALLS" ;;
  *) exec "$TEST_NPM" "$@" ;;
esac
`

/** A checkout in which an owner has filled in what .github/RELEASING.md lists. @param {string} dir */
function checkOut (dir) {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' }).split('\0')
  for (const file of files.filter((each) => each !== '' && fs.existsSync(path.join(ROOT, each)))) {
    fs.cpSync(path.join(ROOT, file), path.join(dir, file))
  }
  execFileSync('git', ['init', '--quiet'], { cwd: dir })
  execFileSync('git', ['add', '--all'], { cwd: dir })
  for (const file of new Set(placesOfOwner(dir).map((place) => place.split(':')[0]))) {
    const text = fs.readFileSync(path.join(dir, file), 'utf8')
    fs.writeFileSync(path.join(dir, file), text.replaceAll(new RegExp(OWNER, 'g'), 'somebody'))
  }
  const manifest = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'))
  const url = 'https://github.com/somebody/loopwatch'
  fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ ...manifest, homepage: url, bugs: `${url}/issues`, repository: { type: 'git', url: `git+${url}.git` } }))
}

/**
 * Runs the shell steps of a job, until one publishes.
 * @param {any[]} steps
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} where
 */
function runSteps (steps, { cwd, env }) {
  /** @type {Record<string, string>} */
  const outputs = {}
  for (const step of steps) {
    // Which npm comes with which Node.js is a fact about GitHub's machine.
    if (step.run === undefined || step.run.includes('npm --version')) continue
    const file = path.join(cwd, '..', 'output')
    fs.writeFileSync(file, '')
    const given = Object.entries(/** @type {Record<string, string>} */ (step.env ?? {}))
      .map(([name, value]) => [name, value.replace(/\$\{\{ (.+?) \}\}/g, (_, expression) => outputs[expression] ?? '')])
    const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', step.run], {
      cwd, encoding: 'utf8', env: { ...env, ...Object.fromEntries(given), GITHUB_OUTPUT: file, GITHUB_REF_NAME: `v${version}` }
    })
    assert.equal(status, 0, `${step.run}\n${stdout}${stderr}`)
    for (const [, name, value] of fs.readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)) outputs[`steps.${step.id}.outputs.${name}`] = value
    if (/\bnpm publish\b/.test(step.run)) break
  }
}

test('release.yml gets as far as npm publish once an owner has filled in what only they know', { skip: SKIP }, (t) => {
  const { jobs } = parse(fs.readFileSync(path.join(ROOT, '.github', 'workflows', 'release.yml'), 'utf8'))
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  const calls = []
  for (const [name, { steps, permissions }] of Object.entries(/** @type {Record<string, any>} */ (jobs))) {
    const dir = fs.realpathSync(makeDir(t))
    const [cwd, bin] = ['checkout', 'bin'].map((each) => path.join(dir, each))
    fs.mkdirSync(bin)
    fs.writeFileSync(path.join(bin, 'npm'), NPM, { mode: 0o755 })
    fs.mkdirSync(cwd)
    checkOut(cwd)
    const { NODE_OPTIONS, NODE_TEST_CONTEXT, PATH, ...inherited } = process.env
    const file = path.join(dir, 'calls')
    fs.writeFileSync(file, '')
    runSteps(steps, { cwd, env: { ...inherited, PATH: `${bin}:${PATH}`, TEST_NPM: npm, TEST_ROOT: ROOT, TEST_CHECKOUT: cwd, TEST_CALLS: file } })
    const made = fs.readFileSync(file, 'utf8').split('\n').filter((line) => line !== '')
    calls.push(...made)
    if (permissions?.['id-token'] === 'write') assert.deepEqual(made.filter((call) => call.startsWith('ci')), [], `${name} may publish, and runs no code of others`)
  }
  assert.deepEqual(calls, ['ci ', 'ci /test', `publish --provenance --access public ./loopwatch-${version}.tgz`])
})

test('what only an owner can fill in is on one page, each place with its file', { skip: SKIP }, () => {
  const page = fs.readFileSync(path.join(ROOT, OWNERS_PAGE), 'utf8')
  const files = new Set(placesOfOwner(ROOT).map((place) => place.split(':')[0]))
  assert.ok(files.size > 4, `${[...files]}`)
  for (const file of [...files, 'package.json', 'LICENSE']) assert.ok(page.includes(`\`${file}\``), `${OWNERS_PAGE} does not name ${file}`)
})
