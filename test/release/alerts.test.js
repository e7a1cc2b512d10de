'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { parse } = require('yaml')
const { table } = require('../../lib/tables/metrics')
const { codeBlocks } = require('../support/docs/markdown')
const { makeDir } = require('../support/files')
const { needs } = require('../support/tools')

const FOLDER = path.join(__dirname, '..', '..', 'grafana', 'prometheus')
const RUNBOOK = fs.readFileSync(path.join(__dirname, '..', '..', 'docs', 'operate', 'runbook.md'), 'utf8')
const SUFFIXES = /** @type {Record<string, string[]>} */ ({ histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] })

/** @param {string} name */
const read = (name) => parse(fs.readFileSync(path.join(FOLDER, name), 'utf8'))
const rules = ['recording.yml', 'alerts.yml', 'new-functions.yml'].flatMap((name) => read(name).groups).flatMap(({ rules }) => rules)
const alerts = rules.filter(({ alert }) => alert)
const recorded = rules.filter(({ record }) => record).map(({ record }) => record)

/** @param {string[]} args @param {string} [cwd] */
function promtool (args, cwd = FOLDER) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
}

test('Prometheus accepts the rules and both configurations', (t) => {
  if (!needs(t, 'promtool')) return
  promtool(['check', 'rules', '--lint=all', '--lint-fatal', 'recording.yml', 'alerts.yml', 'new-functions.yml'])
  promtool(['check', 'config', 'prometheus.yml'])
  promtool(['check', 'config', '--agent', 'agent.yml'])
})

test('Prometheus accepts the configuration of the documents with the copied rules', (t) => {
  if (!needs(t, 'promtool')) return
  const dir = makeDir(t)
  const [{ text }, copying] = ['yaml', ''].map((language) => /** @type {import('../support/docs/markdown').CodeBlock} */ (
    codeBlocks('docs/operate/monitoring.md').find((block) => block.language === language)))
  for (const [, file] of copying.text.matchAll(/node_modules\/loopwatch\/grafana\/prometheus\/(\S+)/g)) fs.copyFileSync(path.join(FOLDER, file), path.join(dir, file))
  for (const { authorization } of parse(text).scrape_configs) fs.writeFileSync(path.join(dir, authorization.credentials_file), 'secret')
  fs.writeFileSync(path.join(dir, 'prometheus.yml'), text)
  promtool(['check', 'config', 'prometheus.yml'], dir)
})

test('every alert fires above its threshold, with the text that a person gets, and not below', (t) => {
  const cases = read('alerts.test.yml').tests.flatMap((/** @type {any} */ { alert_rule_test: cases = [] }) => cases)
  for (const { alert } of alerts) {
    const own = cases.filter((/** @type {any} */ { alertname }) => alertname === alert)
    assert.ok(own.some((/** @type {any} */ { exp_alerts: expected }) => expected.length > 0), `${alert} fires in no test`)
    assert.ok(own.some((/** @type {any} */ { exp_alerts: expected }) => expected.length === 0), `${alert} fires in every test`)
  }
  if (!needs(t, 'promtool')) return
  promtool(['test', 'rules', 'alerts.test.yml'])
})

/** What has no page: the target does not answer. */
const UNANSWERED = 'LoopwatchTargetDown'
/** Requests are slow while these fire. */
const SLOW = ['LoopwatchBlocked', 'LoopwatchStuck', 'LoopwatchLongBlock', 'LoopwatchBlockedShare', 'LoopwatchDelay']

test('every alert says what is wrong, links to the agent\'s page, to its own heading of the runbook and, if requests are slow, to what to do now', () => {
  const headings = [...RUNBOOK.matchAll(/^### (Loopwatch\w+)$/gm)].map(([, heading]) => heading)
  assert.deepEqual(headings, alerts.map(({ alert }) => alert))
  for (const { alert, labels, annotations } of alerts) {
    assert.match(labels.severity, /^(critical|warning|info)$/, alert)
    const { summary, description, site, work, page, runbook_url: runbook, slow_now: slowNow, ...others } = annotations
    assert.ok(summary && description, alert)
    assert.deepEqual(others, {}, alert)
    assert.equal(site === undefined, work === undefined, alert)
    assert.equal(page, alert === UNANSWERED ? undefined : 'http://{{ $labels.instance }}/', alert)
    assert.match(runbook, /^http:\/\/.*\{\{ \$labels\.instance \}\}/, alert)
    assert.ok(runbook.endsWith(`/runbook#${alert}`), runbook)
    assert.equal(slowNow, SLOW.includes(alert) ? 'http://{{ $labels.instance }}/runbook#slow-now' : undefined, alert)
  }
})

test('rules ask for nothing but metrics of the catalogue and what other rules record', () => {
  const known = new Set(table.flatMap(({ name, type }) => SUFFIXES[type].map((suffix) => name + suffix)))
  for (const { alert, record, expr } of rules) {
    const names = expr.replace(/"[^"]*"/g, '').match(/[a-z_0-9]*:?loopwatch_[a-z_0-9]+(:\w+)?/g) ?? []
    assert.ok(names.length > 0, `${alert ?? record} asks for nothing of ours`)
    for (const name of names) assert.ok(known.has(name) || recorded.includes(name), `${alert ?? record} asks for ${name}`)
  }
})

test('no rule selects a bucket by the text of an integer, which Prometheus 2 and 3 write differently', () => {
  for (const { alert, record, expr } of rules) assert.doesNotMatch(expr, /le="\d+(\.0)?"/, alert ?? record)
})
