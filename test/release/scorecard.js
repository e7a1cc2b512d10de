'use strict'

// The checks of OpenSSF Scorecard, as far as the files of a checkout answer them. What it asks of GitHub or of others
// stands in ELSEWHERE, so that no check is left out in silence.
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { parse } = require('yaml')

/** @typedef {Map<string, string>} Checkout text by path; of what is neither a document nor a script, the empty text */

const WORKFLOW = /^\.github\/workflows\/[\w.-]+\.ya?ml$/
const RELEASE = '.github/workflows/release.yml'
const DOCKERFILE = /(^|\/)([\w.-]+\.)?Dockerfile(\.[\w-]+)?$/
/** What decides what a build fetches and runs. */
const BUILD = new RegExp(`${WORKFLOW.source}|(^|/)action\\.ya?ml$|^\\.ci/|\\.sh$|${DOCKERFILE.source}`)
const READ = new RegExp(`${BUILD.source}|^(package\\.json|SECURITY\\.md|LICENSE)$|^\\.github/(dependabot\\.yml|CODEOWNERS)$`)
const BINARY = /\.(a|class|dll|dylib|exe|jar|lib|node|o|pyc|so|war|wasm)$/
/** An action is code of others with our token: a tag can be moved to other code, a commit cannot. */
const PINNED_ACTION = /^(\.\/\S*|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/
/** Downloads that run before anybody has looked at them. */
const PIPED_DOWNLOAD = /\b(curl|wget)\b[^\n|;]*\|\s*(sudo\s+)?(ba|da|z)?sh\b|\b(ba|da|z)?sh\s+(-c\s+"?\$|<)\(\s*(curl|wget)\b/
const FLOATING_INSTALL = /\bnpm\s+(install|i|add)\b|\b(pip3?|gem)\s+install\b|\bnpx\s+(-y|--yes)\b|\bgo\s+install\s+\S+@latest\b/
/** A tag of a whole version says what is meant. Its digest can only be asked of a registry. */
const PINNED_IMAGE = /:v?\d+\.\d+\.\d+([\w.-]*)(@sha256:[0-9a-f]{64})?$/
/** What a stranger decides: in a script it would become a part of it. */
const STRANGERS_TEXT = /\$\{\{[^}]*\b(github\.event\.|github\.head_ref|inputs\.|toJSON\(\s*(github|secrets))[^}]*\}\}/i
/** What may be written with a job's token, and by which workflow. */
const WRITES = {
  'advisories.yml': ['issues'],
  'codeql.yml': ['security-events'],
  'release.yml': ['attestations', 'contents', 'id-token'],
  'scorecard.yml': ['id-token', 'security-events']
}

/** What Scorecard asks of GitHub's interfaces or of other services. */
const ELSEWHERE = {
  'Branch-Protection': 'a setting of the repository',
  'CII-Best-Practices': 'a badge of bestpractices.dev',
  'Code-Review': 'who has approved the last changes',
  Contributors: 'the organizations of those who contribute',
  Maintained: 'commits and answers of the last 90 days',
  Vulnerabilities: 'the database osv.dev',
  Webhooks: 'a setting of the repository'
}

/** @param {Checkout} files @param {RegExp} pattern @returns {[file: string, text: string][]} */
const matching = (files, pattern) => [...files].filter(([file]) => pattern.test(file))

/** @param {Checkout} files */
const workflows = (files) => matching(files, WORKFLOW)
  .map(([file, text]) => ({ file, text, name: path.basename(file), workflow: parse(text) }))

/** Scripts that a workflow runs. @param {any} workflow @returns {string[]} */
function scriptsOf (workflow) {
  const steps = Object.values(workflow.jobs ?? {}).flatMap((job) => job.steps ?? [])
  return steps.flatMap(({ run = '', with: given }) => [run, given?.script ?? ''])
}

/** @param {unknown} permissions of a workflow or a job @returns {string[]} */
function written (permissions) {
  if (permissions === 'write-all') return ['everything']
  return Object.entries(Object(permissions)).filter(([, access]) => access === 'write').map(([scope]) => scope)
}

/** @param {Checkout} files @param {string} file @param {RegExp} pattern @param {string} problem */
const lacks = (files, file, pattern, problem) => pattern.test(files.get(file) ?? '') ? [] : [`${file} ${problem}`]

/** The lines of a build's file without those that are comments. @param {string} text */
const linesOf = (text) => text.replace(/\\\n/g, ' ').split('\n').filter((line) => !/^\s*#/.test(line))

/** @param {string} file @param {string} text @returns {string[]} */
function imagesOf (file, text) {
  if (DOCKERFILE.test(file)) {
    const stages = [...text.matchAll(/^FROM .+ AS (\S+)$/gim)].map(([, stage]) => stage)
    return [...text.matchAll(/^FROM (?:--\S+ )?(\S+)/gim)].map(([, image]) => image).filter((image) => !stages.includes(image))
  }
  return [...text.matchAll(/^\s*(?:container|image): ([\w./:@-]+)$/gm)].map(([, image]) => image)
}

/** What of a file of a build may be other code tomorrow. @param {[file: string, text: string]} file */
function floating ([file, text]) {
  const actions = [...text.matchAll(/^[\s-]*uses: (.+)$/gm)].map(([, action]) => action)
  const problems = [
    ...actions.filter((action) => !PINNED_ACTION.test(action)).map((action) => `${action} is no commit with its version behind it`),
    ...imagesOf(file, text).filter((image) => !PINNED_IMAGE.test(image)).map((image) => `the image ${image} has no whole version`)
  ]
  for (const line of linesOf(text)) {
    if (PIPED_DOWNLOAD.test(line)) problems.push(`runs what it downloads: ${line.trim()}`)
    if (FLOATING_INSTALL.test(line)) problems.push(`installs what is newest: ${line.trim()}`)
  }
  return problems.map((problem) => `${file}: ${problem}`)
}

/** @param {{ file: string, workflow: any }} of */
function dangers ({ file, workflow }) {
  const events = ['pull_request_target', 'workflow_run'].filter((event) => event in Object(workflow.on))
  const texts = scriptsOf(workflow).flatMap((run) => STRANGERS_TEXT.exec(run)?.[0] ?? [])
  return [
    ...events.map((event) => `${file}: ${event} gives a stranger's change our token`),
    ...texts.map((text) => `${file}: text of others becomes a part of a script: ${text}`)
  ]
}

/** @param {{ file: string, name: string, workflow: any }} of */
function writers ({ file, name, workflow }) {
  const allowed = WRITES[/** @type {keyof typeof WRITES} */ (name)] ?? []
  const problems = written(workflow.permissions).map((scope) => `${file}: every job may write ${scope}`)
  if (workflow.permissions === undefined) problems.push(`${file} has no permissions, so its token may write`)
  for (const [job, { permissions }] of Object.entries(workflow.jobs ?? {})) {
    const more = written(permissions).filter((scope) => !allowed.includes(scope))
    problems.push(...more.map((scope) => `${file}: ${job} may write ${scope}`))
  }
  return problems
}

/** @param {Checkout} files @param {(text: string, workflow: any) => boolean} does @param {string} problem */
function noneAtPullRequests (files, does, problem) {
  const asked = workflows(files).filter(({ workflow }) => 'pull_request' in Object(workflow.on))
  return asked.some(({ text, workflow }) => does(text, workflow)) ? [] : [problem]
}

/** @type {Record<string, (files: Checkout) => string[]>} */
const CHECKS = {
  'Binary-Artifacts': (files) => matching(files, BINARY).map(([file]) => `${file} is a program that nobody can review`),
  'CI-Tests': (files) => noneAtPullRequests(files, (_, workflow) => scriptsOf(workflow).includes('npm test'),
    'no workflow runs the tests of a pull request'),
  'Dangerous-Workflow': (files) => workflows(files).flatMap(dangers),
  'Dependency-Update-Tool': (files) => ['npm', 'github-actions', 'docker'].flatMap((ecosystem) =>
    lacks(files, '.github/dependabot.yml', new RegExp(`package-ecosystem: ${ecosystem}$`, 'm'), `leaves out ${ecosystem}`)),
  Fuzzing: (files) => lacks(files, 'package.json', /"fast-check":/, 'has no fast-check, by which inputs are made up'),
  License: (files) => lacks(files, 'LICENSE', /MIT License/i, 'is not there'),
  Packaging: (files) => lacks(files, RELEASE, /\bnpm publish\b/, 'does not publish'),
  'Pinned-Dependencies': (files) => matching(files, BUILD).flatMap(floating),
  SAST: (files) => noneAtPullRequests(files, (text) => text.includes('codeql-action/analyze@'), 'no workflow has CodeQL analyze pull requests'),
  SBOM: (files) => lacks(files, RELEASE, /gh release create[^\n]* sbom\.cdx\.json(\s|$)/, 'does not release the list of what is in the package'),
  'Security-Policy': (files) => [
    ...lacks(files, 'SECURITY.md', /https:\/\//, 'links to nothing that takes a report'),
    ...lacks(files, 'SECURITY.md', /vulnerabilit/i, 'does not say what a vulnerability is'),
    ...lacks(files, 'SECURITY.md', /\bwithin (a|\d+) (day|week)/, 'does not say when to expect an answer')
  ],
  'Signed-Releases': (files) => lacks(files, RELEASE, /gh release create[^\n]*\.sigstore\.json/, 'releases no signature beside the package'),
  'Token-Permissions': (files) => workflows(files).flatMap(writers)
}

/** The owner of a repository by package.json, or null while it names none. @param {Checkout} files */
function ownerOf (files) {
  const { repository } = JSON.parse(files.get('package.json') ?? '{}')
  return /github(?:\.com)?[/:]([\w-]+)\//.exec(repository?.url ?? repository ?? '')?.[1] ?? null
}

/** A file alone does not pass Branch-Protection, but one of its tiers is reviews by owners. @param {Checkout} files */
function judgeOwners (files) {
  const problems = lacks(files, '.github/CODEOWNERS', /^\* @\S+/m, 'gives not every file an owner')
  const owner = ownerOf(files)
  for (const [, team] of (files.get('.github/CODEOWNERS') ?? '').matchAll(/@([\w-]+)\/[\w-]+/g)) {
    if (owner !== null && team !== owner) problems.push(`.github/CODEOWNERS: @${team} does not own the repository, @${owner} does`)
  }
  return [...new Set(problems)]
}

/** What is in git. @param {string} root @returns {Checkout} */
exports.readCheckout = (root) => {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  const present = names.filter((file) => file !== '' && fs.existsSync(path.join(root, file)))
  return new Map(present.map((file) => [file, READ.test(file) ? fs.readFileSync(path.join(root, file), 'utf8') : '']))
}

/** @param {Checkout} files @returns {string[]} what a file shows that Scorecard would find, by the name of its check */
exports.judgeSupply = (files) => [
  ...Object.entries(CHECKS).flatMap(([name, judge]) => judge(files).map((problem) => `${name}: ${problem}`)),
  ...judgeOwners(files).map((problem) => `Branch-Protection: ${problem}`)
]

exports.CHECKS = CHECKS
exports.ELSEWHERE = ELSEWHERE
