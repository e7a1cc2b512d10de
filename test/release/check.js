'use strict'

// `npm run release:check`: whether this checkout may be published. Says everything that is missing, and ends with 1.
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { installFor } = require('../support/packages')

const ROOT = path.join(__dirname, '..', '..')
/** Vitest's setup file is an ES module, as Vitest is, and exports nothing. */
const NO_COMMONJS = { excludeEntrypoints: ['./vitest'] }
/** What an application gets that installs loopwatch. test/release/package.test.js holds it too. */
const LIMITS = { unpackedBytes: 2.1e6, packedBytes: 730e3 }
/** Stands for a name or an address that only the project's owner knows. */
const OWNER = 'OWNER'
/** Lists what an owner has to fill in. */
const OWNERS_PAGE = '.github/RELEASING.md'

/**
 * What an application installs, packed.
 * @param {string} into folder
 * @returns {{ file: string, size: number, unpackedSize: number, files: { path: string, size: number }[] }}
 */
function pack (into) {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', into], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], shell: process.platform === 'win32' })
  const [{ filename, ...packed }] = JSON.parse(output.slice(output.indexOf('[\n')))
  return { file: path.join(into, filename), ...packed }
}

/**
 * What publint and arethetypeswrong say against a packed package.
 * @param {Buffer} bytes
 * @returns {Promise<string[]>}
 */
async function judgePack (bytes) {
  const { publint } = await import('publint')
  const { formatMessage } = await import('publint/utils')
  const { messages, pkg } = await publint({
    pack: {
      tarball: /** @type {ArrayBuffer} */ (bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    },
    strict: true
  })
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core')
  const { types, problems = [] } = /** @type {any} */ (
    await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)), NO_COMMONJS)
  )
  return [
    ...messages.map((/** @type {any} */ message) => `publint: ${formatMessage(message, pkg)}`),
    ...(types && types.kind === 'included' ? [] : ['arethetypeswrong: the package has no types']),
    ...problems.map((/** @type {any} */ problem) => `arethetypeswrong: ${JSON.stringify(problem)}`)
  ]
}

/**
 * What package.json and the changelog lack.
 * @param {any} pkg
 * @param {string} changelog
 * @returns {string[]}
 */
function judgeManifest (pkg, changelog) {
  const problems = ['repository', 'homepage', 'bugs'].filter((field) => !pkg[field])
    .map((field) => `package.json has no ${field}: where the project lives is not decided, and its links would lead nowhere`)
  if (!/^[1-9]\d*\.\d+\.\d+|^0\.(0\.[1-9]|[1-9])/.test(pkg.version)) problems.push(`the version is ${pkg.version}`)
  const headings = [...changelog.matchAll(/^## \[?v?([^\s\]]+)/gm)].map(([, version]) => version)
  if (!headings.includes(pkg.version)) problems.push(`CHANGELOG.md has no heading for ${pkg.version}, it has ${headings.join(', ') || 'none'}`)
  if (new RegExp(`^## \\[?v?${pkg.version.replaceAll('.', '\\.')}\\b.*unreleased`, 'm').test(changelog)) problems.push(`CHANGELOG.md calls ${pkg.version} unreleased`)
  if (pkg.publishConfig?.provenance !== true || pkg.publishConfig.access !== 'public') problems.push('publishConfig does not ask for provenance and public access')
  return problems
}

/** Where OWNER is still to be replaced. @param {string} root @returns {string[]} file:line */
function placesOfOwner (root) {
  const { stdout } = spawnSync('git', ['grep', '-nwI', OWNER, '--', '.', ':!lib', ':!test', `:!${OWNERS_PAGE}`], { cwd: root, encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line !== '').map((line) => line.split(':', 2).join(':'))
}

/**
 * @param {{ path: string, size: number }[]} files
 * @returns {string} the largest folders, for who has to find what to leave out
 */
function largest (files) {
  /** @type {Map<string, number>} */
  const sizes = new Map()
  for (const { path: file, size } of files) {
    const folder = file.split('/').slice(0, 2).join('/')
    sizes.set(folder, (sizes.get(folder) ?? 0) + size)
  }
  return [...sizes].sort(([, a], [, b]) => b - a).slice(0, 8).map(([folder, size]) => `${folder} ${Math.round(size / 1e3)} kB`).join(', ')
}

/** @returns {Promise<string[]>} */
async function judge () {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-release-'))
  try {
    const { file, unpackedSize, files } = pack(dir)
    process.stdout.write(`${files.length} files, ${unpackedSize} bytes unpacked\n`)
    return [
      ...judgeManifest(JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')), fs.readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8')),
      ...(unpackedSize > LIMITS.unpackedBytes ? [`the package has ${unpackedSize} bytes unpacked, ${LIMITS.unpackedBytes} are allowed: ${largest(files)}`] : []),
      ...await judgePack(fs.readFileSync(file)),
      ...placesOfOwner(ROOT).map((place) => `${place} has ${OWNER}, see ${OWNERS_PAGE}`)
    ]
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

async function main () {
  // publint and arethetypeswrong are packages of test/ alone.
  installFor('test')
  const problems = await judge()
  for (const problem of problems) process.stderr.write(`not ready: ${problem}\n`)
  if (problems.length === 0) process.stdout.write('ready to publish\n')
  process.exitCode = problems.length === 0 ? 0 : 1
}

exports.judgePack = judgePack
exports.pack = pack
exports.judgeManifest = judgeManifest
exports.placesOfOwner = placesOfOwner
exports.LIMITS = LIMITS
exports.OWNER = OWNER
exports.OWNERS_PAGE = OWNERS_PAGE

if (require.main === module) main()
