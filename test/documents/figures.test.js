'use strict'

// What README and overhead.md say that loopwatch costs is what scenarios/overhead/figures.md has of a run.
const test = require('node:test')
const assert = require('node:assert/strict')
const { read, tables } = require('../support/docs/markdown')

const FIGURES = 'scenarios/overhead/figures.md'
const OVERHEAD = 'docs/understand/overhead.md'
const VERSIONS = ['24', '26']
/** The rows of figures.md whose names are others there. */
const ROWS = { loopwatch: 'default options', "`profile: 'off'`": "`profile: 'off'`", OpenTelemetry: "OpenTelemetry's SDK" }
const UNWATCHED = '`nothing`: bare again'
/** A section of figures.md, and the column of its tables, one for each version. */
const COLUMNS = {
  cpu: { section: 'A large application', column: 1 },
  p99: { section: 'A large application', column: 2 },
  startup: { section: 'A large application', column: 3 },
  rss: { section: 'A large application', column: 4 },
  idleCpu: { section: 'Start, idle, memory', column: 1 },
  idleRss: { section: 'Start, idle, memory', column: 3 }
}
/** Rows of tables of costs: of whom, what, and the figure. */
const SUBJECTS = { large: /large application/, idle: /idle server/, limit: /at its limit/ }
/** @type {Record<string, [what: RegExp, figure: (name: string, version: string) => number][]>} */
const KINDS = {
  large: [
    [/CPU/, (name, version) => figure('cpu', name, version)],
    [/p99/, (name, version) => figure('p99', name, version)],
    [/start-?up/, (name, version) => figure('startup', name, version)],
    [/memory/, (name, version) => figure('rss', name, version)]
  ],
  idle: [
    [/% of a core/, (name, version) => figure('idleCpu', name, version)],
    [/memory/, (name, version) => figure('idleRss', name, version)]
  ],
  limit: [[/requests/, (_, version) => atLimit('all three', version)], [/p99/, (_, version) => atLimit('the same, p99', version)]]
}

const numberIn = (/** @type {string} */ text) => Number(/-?\d[\d.]*/.exec(text)?.[0])
const plain = (/** @type {string} */ name) => name.replace(/`/g, '')

/** @param {keyof typeof COLUMNS} kind @param {string} name of a row @param {string} version @returns {string} */
function cellOf (kind, name, version) {
  const { section, column } = COLUMNS[kind]
  const rows = tables(FIGURES, section)[VERSIONS.indexOf(version)]
  const row = rows.find(([first]) => plain(first) === plain(ROWS[/** @type {keyof typeof ROWS} */ (name)] ?? name))
  assert.ok(row, `${FIGURES}, ${section}: no row ${name}`)
  return row[column]
}

/** @param {keyof typeof COLUMNS} kind @param {string} name @param {string} version */
const figure = (kind, name, version) => numberIn(cellOf(kind, name, version))

/** @param {string} name of a row @param {string} version */
function atLimit (name, version) {
  const row = tables(FIGURES, 'A request')[0].find(([first]) => first === name)
  assert.ok(row, `${FIGURES}, A request: no row ${name}`)
  return numberIn(row[1 + VERSIONS.indexOf(version)])
}

/** A change in percent. @param {number} ratio */
const percent = (ratio) => Math.sign(ratio - 1) * Math.round(Math.abs(ratio * 1000 - 1000) / 10)

/** The table of costs, with its head. @param {string} file @param {string} head of its first column */
function costTable (file, head) {
  const lines = read(file).split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| ${head}`))
  assert.ok(at >= 0, `${file}: no table "${head}"`)
  const rows = lines.slice(at, lines.findIndex((line, i) => i > at && !line.startsWith('|')))
  const [heads, , ...body] = rows.map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim()))
  return { versions: VERSIONS.filter((version) => heads[0].includes(version)), names: heads.slice(1), body }
}

/**
 * The cells of a table of costs that differ from figures.md.
 * @param {string} file @param {string} head @param {boolean} isChange whether it has changes in percent, not ratios
 */
function faultsIn (file, head, isChange) {
  const { versions, names, body } = costTable(file, head)
  let subject = ''
  let count = 0
  const faults = body.flatMap(([what, ...cells]) => {
    subject = Object.entries(SUBJECTS).find(([, pattern]) => pattern.test(what))?.[0] ?? subject
    const [, valueOf] = (KINDS[subject] ?? []).find(([pattern]) => pattern.test(what)) ?? []
    if (valueOf === undefined || what.startsWith('`')) return []
    const isRatio = !/memory|% of a core/.test(what)
    const own = versions.filter((version) => cells[0].includes(' / ') || version === versions[0])
    return cells.flatMap((cell, i) => {
      if (cell === '') return []
      count++
      const said = cell.match(/-?\d[\d.]*/g)?.map(Number) ?? []
      const found = own.map((version) => valueOf(names[i], version))
        .map((value) => isChange && isRatio ? percent(value) : value)
      if (JSON.stringify(said) === JSON.stringify(found)) return []
      return [`${file}: ${what}, ${names[i]}: ${cell}, but ${found.join(' / ')} in figures.md`]
    })
  })
  assert.ok(count >= 10, `${file}: ${count} cells were compared`)
  return faults
}

test('the tables of costs have the figures of the last run', () => {
  assert.deepEqual(faultsIn('README.md', 'against the unwatched application', false), [])
  assert.deepEqual(faultsIn(OVERHEAD, 'Node.js 24 / 26', true), [])
  const [cells, known] = [tables(OVERHEAD, 'Overhead')[0], tables(FIGURES, "What runs on the application's thread")[0]]
    .map((rows) => rows.find(([what]) => what === 'start()') ?? [])
  assert.equal(cells[1], known.at(-1), `${OVERHEAD}: start()`)
})

/** Those of the agent on each version. @param {(name: string, version: string) => number} valueOf */
const agents = (valueOf) => ['loopwatch', "`profile: 'off'`"]
  .flatMap((name) => VERSIONS.map((version) => valueOf(name, version)))
const [requestsAtLimit, p99AtLimit] = ['all three', 'the same, p99']
  .map((name) => VERSIONS.map((version) => percent(atLimit(name, version))))
/** Figures in sentences, and the values that they may have. @type {[pattern: RegExp, values: number[]][]} */
const CLAIMS = [
  [/(\d+)% more CPU/g, agents((name, version) => percent(figure('cpu', name, version)))],
  [/p99[^.|]*? by (\d+)%/g, p99AtLimit],
  [/\((\d+)% on (?:Node\.js )?26\)/g, [percent(figure('cpu', 'loopwatch', '26')), p99AtLimit[1], -requestsAtLimit[1]]],
  [/(\d+)% fewer/g, requestsAtLimit.map((value) => -value)],
  [/(?<!package is )(?<![\d.])(\d+) MB/g, [...agents((name, version) => figure('idleRss', name, version)), figure('rss', 'loopwatch', '24')]],
  // In a sentence, it is about 1%.
  [/([\d.]+)% of a core/g, [...agents((name, version) => figure('idleCpu', name, version)), 1]]
]

/** The sentences of a document on what the agent costs. @param {string} file @param {RegExp} title */
function proseOf (file, title) {
  const [section] = read(file).split(/^#+ /m).filter((text) => title.test(text))
  assert.ok(section, `${file}: no section ${title}`)
  return section.split('\n').filter((line) => !line.startsWith('|')).join(' ').replace(/\*\*/g, '')
}

for (const [file, title] of /** @type {[string, RegExp][]} */ ([['README.md', /^What it costs\n/], [OVERHEAD, /^Overhead\n/], ['README.md', /^loopwatch\n/]])) {
  test(`the sentences of ${file} (${title.source.slice(1, -2)}) have the figures of the last run`, () => {
    const prose = proseOf(file, title)
    const faults = CLAIMS.flatMap(([pattern, values]) => [...prose.matchAll(pattern)]
      .filter(([, value]) => !values.includes(Number(value))).map(([said]) => `"${said}", but ${values.join(', ')} in figures.md`))
    assert.deepEqual(faults, [])
    const p99 = percent(figure('p99', 'loopwatch', '24'))
    if (/by (about )?a third/.test(prose)) assert.ok(p99 > 30 && p99 < 37, `a third, but ${p99}%`)
  })
}

test('README and overhead.md open with what a buyer pays: CPU, throughput and p99 at the limit', () => {
  for (const [file, title] of /** @type {[string, RegExp][]} */ ([['README.md', /^What it costs\n/], [OVERHEAD, /^Overhead\n/]])) {
    const prose = proseOf(file, title)
    const needed = [`${percent(figure('cpu', 'loopwatch', '24'))}% more CPU`, `${-requestsAtLimit[0]}% fewer`, `${p99AtLimit[0]}%`]
    assert.deepEqual(needed.filter((each) => !prose.includes(each)), [], file)
  }
})

test('the noise below the table of README is that of the versions in it', () => {
  const { versions } = costTable('README.md', 'against the unwatched application')
  const said = [...proseOf('README.md', /^What it costs\n/).matchAll(/\d\.\d\d to \d\.\d\d/g)].map(([range]) => range)
  const rows = versions.flatMap((version) => /** @type {const} */ (['cpu', 'p99', 'startup']).map((kind) => cellOf(kind, UNWATCHED, version)))
  assert.deepEqual(said.sort(), rows.map((cell) => /\((.*)\)/.exec(cell)?.[1]).sort())
})
