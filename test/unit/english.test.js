'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { spawnSync } = require('node:child_process')
const ts = require('typescript')
const { filesBelow } = require('../support/source-tree')

/** What users read. Contributors read the other scopes. */
const FOR_USERS = ['README.md', 'docs', 'documents of grafana', 'strings in grafana', 'alerts and rules', 'strings in lib']

/**
 * Words that read as translated, and what to write instead.
 * @type {Record<string, { pattern: RegExp, better: string, scopes?: string[] }>} scopes: all by default
 */
const PATTERNS = {
  'is said, is told': { pattern: /\b(?:is|are|was|were|be|been) (?:said|told)\b(?! apart)/gi, better: 'is logged, is reported, is known' },
  'as it comes': { pattern: /\bas (?:it|they) comes?\b/gi, better: 'by default' },
  'Of a … at the start': { pattern: /(?:^|[.:;!?|*>] |\/\/ )(?:As )?Of (?:an?|the|all|each|so|what|several|two|these|those|no)\b/gm, better: 'subject, verb, object' },
  beside: { pattern: /\bbesides?\b/gi, better: 'next to, in addition to' },
  'who has it': { pattern: /\bwho has it\b/gi, better: 'whoever has it' },
  'also while': { pattern: /\balso (?:while|where|if)\b/gi, better: 'even while' },
  'is no …': { pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|such\b)\w/gi, better: 'is not a' },
  'so many': { pattern: /(?:^|[.:;!?|*>] |\/\/ )So (?:many|long|much)\b/gm, better: 'this many' },
  '24 %': { pattern: /\d %(?! ?[(\d])/g, better: '24%' },
  'url in prose': { pattern: /\b(?:an?|the|its|this|that|any|each|of|or|by|full|same|no) urls?\b(?!['`])/g, better: 'URL' },
  'while it lasts': { pattern: /\bwhile (?:it|they|that|this|an?|the)(?: \w+)? lasts?\b|\blasts? for\b/gi, better: 'during the block, while it is in progress, until it returns' },
  'is over': { pattern: /\b(?:is|are|was|were) (?:not )?over\b(?! (?:an?|its|the|that|this|\d))/gi, better: 'ends, has ended, has finished' },
  '; said once': { pattern: /[;:,|] said\b|\bsaid (?:once|so once)\b/gi, better: 'logged' },
  'of others': { pattern: /\b(?:of|by|to|for) others\b|\bothers'/gi, better: 'of other requests, of other code, of the rest' },
  'the log has': { pattern: /(?<!\blet the )\b(?:log|page|metrics|records?|files?) (?:have|has)\b(?! (?:ended|been|begun|changed|come|started))/gi, better: 'shows, lists, includes' },
  'comes round': { pattern: /\b(?:comes?|came) round\b/gi, better: 'gets a turn, yields to the event loop' },
  '5 a second': { pattern: /(?:\d|\b(?:ms|µs|us|kB|MB)) an? (?:second|minute|hour|request|call|message|turn)\b|\b(?:one|two|three|four|five|ten|twenty|hundred|thousand|million|times|requests|calls|responses|messages|operations|promises|blocks|records|lines|tasks|jobs|samples|functions|wake-ups) an? (?:second|minute|hour)\b/g, better: '5 per second, 5/s' },
  'start-up': { pattern: /\bstart-ups?\b/gi, better: 'startup' },
  '-ise': { pattern: /\b(?:optimi|recogni|seriali|initiali|organi|normali|summari|minimi|maximi|utili|customi)s(?:e[sd]?|ing|ation)\b(?! ?\()/gi, better: '-ize, as in utilization' },
  'What … at the start': { pattern: /\/\*\*\s+(?:\* )?(?:What|It|By|Whose|Whoever)\b(?![^.*]*\?)/g, better: 'the noun of the next line', scopes: ['comments in lib', 'comments in grafana', 'comments in scenarios'] },
  kept: { pattern: /\bkept\b(?! (?:waiting|busy|the CPU busy|open|alive|free|up to date))/gi, better: 'stored, retained; dropped for "not kept"', scopes: FOR_USERS },
  answer: { pattern: /(?<!")\banswer(?:s|ed|ing)?\b/gi, better: 'respond, response, return, if it is about HTTP', scopes: FOR_USERS },
  names: { pattern: /\b(?:it|log|page|line|message|table|record|report|that|which) names\b/gi, better: 'shows, identifies, says', scopes: FOR_USERS },
  'of which': { pattern: /(?<!\b(?:time|period|minutes) )\b(?:of|in|to|from|for) which\b/gi, better: 'that …, where …, or two sentences', scopes: FOR_USERS },
  alone: { pattern: /(?<!\.)\balone\b/gi, better: 'only', scopes: FOR_USERS },
  'by itself': { pattern: /\bby (?:itself|themselves)\b|\bat once\b|\bin turn\b|\bof (?:its|their) own\b/gi, better: 'automatically, immediately, alternately, its own', scopes: FOR_USERS },
  nobody: { pattern: /(?<!user: )\b(?:nobody|everybody)\b/gi, better: 'no request, no code, all users', scopes: FOR_USERS }
}

/** Name of git's log in the list of files. */
const HISTORY = 'git log'

/** Texts that people read, by scope. @type {Record<string, (file: string) => string | null>} */
const SCOPES = {
  'strings in lib': (file) => file.startsWith('lib/') ? stringsOf(file) : null,
  'comments in lib': (file) => file.startsWith('lib/') ? commentsOf(file) : null,
  'strings in grafana': (file) => file.startsWith('grafana/src/') ? stringsOf(file) : null,
  'comments in grafana': (file) => file.startsWith('grafana/') ? commentsOf(file) : null,
  'alerts and rules': (file) => /^grafana\/.*\.ya?ml$/.test(file) ? textOf(file) : null,
  'documents of grafana': (file) => /^grafana\/.*\.md$/.test(file) ? textOf(file) : null,
  'comments in scenarios': (file) => file.startsWith('scenarios/') ? commentsOf(file) : null,
  'strings in scenarios': (file) => file.startsWith('scenarios/') ? stringsOf(file) : null,
  'README.md': (file) => file === 'README.md' ? textOf(file) : null,
  docs: (file) => /^docs\/.*\.md$/.test(file) ? textOf(file) : null,
  'other documents': (file) => /\.md$|^llms\.txt$/.test(file) && !/^(docs\/|grafana\/|README\.md)/.test(file) ? textOf(file) : null,
  'titles of tests': (file) => /^test\/.*\.test\.js$/.test(file) ? partsOf(file).titles : null,
  'subjects of commits': (file) => file === HISTORY ? subjectsOf(50) : null
}

/**
 * How often each pattern may still occur. The figures only go down: `node test/unit/english.test.js --write` lowers
 * them to what is there. What is not listed must not occur.
 * @type {Record<string, Record<string, number>>}
 */
const BUDGETS = {
  beside: { 'strings in scenarios': 1 },
  answer: { 'strings in lib': 29, docs: 31, 'README.md': 1 },
  'of which': { 'strings in lib': 4, docs: 12, 'documents of grafana': 1, 'strings in grafana': 3 },
  alone: { 'strings in lib': 1, docs: 2 },
  'by itself': { 'strings in lib': 1, docs: 5 }
}

/** @param {string} file relative to the root */
function textOf (file) {
  return fs.readFileSync(path.join(__dirname, '..', '..', file), 'utf8')
}

/** @type {Map<string, { strings: string, comments: string, titles: string }>} */
const parsed = new Map()

/** The strings of a file's code, its comments, and the titles of its tests. @param {string} file */
function partsOf (file) {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const text = textOf(file)
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS)
  /** @type {string[]} */
  const strings = []
  /** @type {string[]} */
  const titles = []
  let rest = text
  const visit = (/** @type {ts.Node} */ node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
    const title = titleOf(node, tree)
    if (title !== null) titles.push(capitalized(title))
    if (ts.isTemplateExpression(node)) strings.push(templateText(node))
    else if (ts.isStringLiteralLike(node) && node.text.includes(' ')) strings.push(node.text)
    if (isText || node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const start = node.getStart(tree)
      rest = rest.slice(0, start) + ' '.repeat(node.end - start) + rest.slice(node.end)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  const comments = (rest.match(/\/\*[^]*?\*\/|\/\/.*$/gm) ?? []).join('\n')
  const parts = { strings: strings.join('\n'), comments, titles: titles.join('\n') }
  parsed.set(file, parts)
  return parts
}

/** @param {ts.TemplateExpression} node */
function templateText (node) {
  return node.head.text + node.templateSpans.map(({ literal }) => `0${literal.text}`).join('')
}

/** The title, if the node is a test or a group of tests. @param {ts.Node} node @param {ts.SourceFile} tree */
function titleOf (node, tree) {
  if (!ts.isCallExpression(node) || node.arguments.length < 2) return null
  if (!/(?:^|\.)(?:test|it|describe|suite)(?:\.(?:skip|todo|only))?$/.test(node.expression.getText(tree))) return null
  const [title] = node.arguments
  if (ts.isTemplateExpression(title)) return templateText(title)
  return ts.isStringLiteralLike(title) ? title.text : null
}

/** Patterns of how a sentence begins expect a capital letter. @param {string} text */
const capitalized = (text) => text.replace(/^\w/, (letter) => letter.toUpperCase())

/**
 * Subjects of the last commits without their type, null in an archive or a shallow clone.
 * @param {number} count
 */
function subjectsOf (count) {
  const git = (/** @type {string[]} */ ...args) =>
    spawnSync('git', args, { cwd: path.join(__dirname, '..', '..'), encoding: 'utf8' })
  // A prefix means that the repository is one around this folder, whose commits are not ours.
  if (git('rev-parse', '--is-shallow-repository', '--show-prefix').stdout?.trim() !== 'false') return null
  const { status, stdout } = git('log', `-${count}`, '--format=%s')
  if (status !== 0) return null
  return stdout.split('\n').map((subject) => capitalized(subject.replace(/^\w+(?:\([^)]*\))?!?: /, ''))).join('\n')
}

/** @param {string} file */
function stringsOf (file) {
  if (/\.[cm]?js$/.test(file)) return partsOf(file).strings
  return file.endsWith('.html') ? textOf(file) : null
}

/** @param {string} file */
const commentsOf = (file) => /\.[cm]?js$/.test(file) ? partsOf(file).comments : null

function measure () {
  /** @type {Record<string, Record<string, number>>} */
  const counts = {}
  /** @type {Record<string, string[]>} */
  const found = {}
  const files = [...filesBelow('lib'), ...filesBelow('docs'), ...filesBelow('grafana'), ...filesBelow('scenarios'),
    ...filesBelow('examples'), ...filesBelow('test').filter((file) => /\.(?:md|test\.js)$/.test(file)),
    'README.md', 'CONTRIBUTING.md', 'SECURITY.md', HISTORY]
  for (const file of files.filter((file) => !file.startsWith('lib/declarations/'))) {
    for (const [scope, read] of Object.entries(SCOPES)) {
      const text = read(file)
      for (const [name, { pattern, scopes = [scope] }] of text ? Object.entries(PATTERNS) : []) {
        if (!scopes.includes(scope)) continue
        const hits = [...(text ?? '').matchAll(pattern)]
        if (hits.length === 0) continue
        counts[name] ??= {}
        counts[name][scope] = (counts[name][scope] ?? 0) + hits.length
        const around = hits.map(({ index }) => (text ?? '').slice(Math.max(0, index - 30), index + 40).replace(/\s+/g, ' '))
        ;(found[`${name} | ${scope}`] ??= []).push(...around.map((words) => `${file}: …${words}…`))
      }
    }
  }
  return { counts, found }
}

const { counts, found } = measure()

if (process.argv.includes('--write')) {
  const rows = Object.keys(PATTERNS).filter((name) => counts[name] !== undefined).map((name) =>
    `  ${/^\w+$/.test(name) ? name : `'${name}'`}: { ${Object.entries(counts[name]).map(([scope, count]) => `${/^\w+$/.test(scope) ? scope : `'${scope}'`}: ${count}`).join(', ')} }`)
  fs.writeFileSync(__filename, fs.readFileSync(__filename, 'utf8').replace(/^const BUDGETS = \{[^]*?\}\n\n/m, `const BUDGETS = {\n${rows.join(',\n')}\n}\n\n`))
} else if (process.argv.includes('--list')) {
  for (const [where, lines] of Object.entries(found)) console.log(`${where}\n  ${lines.join('\n  ')}`)
} else {
  test('text that people read has none of the words that read as translated, or no more than it had', () => {
    const more = Object.entries(counts).flatMap(([name, byScope]) => Object.entries(byScope)
      .filter(([scope, count]) => count > (BUDGETS[name]?.[scope] ?? 0))
      .map(([scope, count]) => `"${name}" in ${scope}: ${count}, at most ${BUDGETS[name]?.[scope] ?? 0}. ` +
        `Better: ${PATTERNS[/** @type {keyof typeof PATTERNS} */ (name)].better}.\n  ${found[`${name} | ${scope}`].slice(0, 20).join('\n  ')}`))
    assert.equal(more.join('\n'), '', '`node test/unit/english.test.js --list` lists every place')
  })
}
