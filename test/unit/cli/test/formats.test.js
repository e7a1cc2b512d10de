'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { githubAnnotations, gitlabReport, jsonReport, junitReport } = require('../../../../lib/cli/test/formats')
const { sarifReport } = require('../../../../lib/cli/test/formats/sarif')
const { markdownReport, textReport } = require('../../../../lib/cli/test/report')
const { makeOffence, makeOutcome } = require('../../../support/offence')
const { LINKIFY_ISSUE, makeRecord } = require('../../../support/record')

const outcome = makeOutcome([makeOffence(), makeOffence({ file: 'lib/known.js', state: 'known' })])

test('the report has line, function, CPU time, cause, how often and the test', () => {
  const text = textReport(outcome)
  assert.match(text, /^\nloopwatch: 1 place blocked the event loop: .* above 50 ms \(3 processes watched\)$/m)
  assert.match(text, /^ {2}report \(lib\/report\.js:41\): 120 ms on the CPU \(js\), 2 times\n {4}test\/a\.test\.js > orders > are "fast" & <small>$/m)
  assert.match(text, /^known:\n {2}report \(lib\/known\.js:41\)/m)
  assert.match(textReport(makeOutcome([])), /no new block above 50 ms \(/)
  const hidden = { ...makeOutcome([]), passedOver: { 'no stack taken': { count: 1, longestMs: 80 } } }
  assert.match(textReport(hidden), /no new block above 50 ms \(\d+ without a known line ignored\) \(/)
  assert.match(textReport({ ...makeOutcome([]), unwatched: 2 }), /^2 processes could not be watched: /m)
})

test('a run that has watched nothing says so first, in red, and in every format', () => {
  const nothing = { ...makeOutcome([]), processes: 0, watched: 0, hasWatchedNothing: true }
  assert.match(textReport(nothing), /^\nloopwatch: nothing was watched: the command started no Node\.js process.*\(0 processes watched\)\n/)
  assert.ok(textReport(nothing, true).startsWith('\n\u001b[31mloopwatch: nothing was watched: '))
  assert.match(textReport({ ...nothing, processes: 1, unwatchedTests: 2 }), /nothing was watched: tests ran where blocks cannot be detected[^]*2 processes or worker threads of the runner could not be watched/)
  assert.match(junitReport(nothing), /failures="0" errors="1"/)
  assert.match(githubAnnotations(nothing), /^::error title=loopwatch::nothing was watched/)
  assert.equal(sarifReport(nothing).runs[0].invocations[0].executionSuccessful, false)
})

test('a known issue of a package is in the report and in every format', () => {
  const issue = makeOutcome([makeOffence({ records: [makeRecord({ packageIssue: LINKIFY_ISSUE })] })])
  const sarifText = (/** @type {typeof issue} */ of) => JSON.stringify(sarifReport(of))
  for (const format of [textReport, markdownReport, junitReport, githubAnnotations, sarifText]) {
    assert.match(format(issue), /; known: CVE-2026-59887, fixed in linkify-it 5\.0\.2/)
    assert.doesNotMatch(format(outcome), /known: C/)
  }
})

test('names give no orders to a terminal, and break no table', () => {
  const evil = makeOutcome([makeOffence({ function: 'a\u001b[2Jb', tests: [{ file: 'x|y', name: '<b>', others: 2 }] })])
  assert.ok(!textReport(evil).includes('\u001b'))
  assert.match(textReport(evil), /one of 3 tests that ran concurrently/)
  assert.match(markdownReport(evil), /x\\\|y > &lt;b>/)
})

test('JUnit XML counts failures and holds any name', () => {
  const xml = junitReport(makeOutcome([makeOffence({ tests: [{ file: 'a', name: 'x\u0000\u001b <&">\n', others: 0 }] })]))
  assert.match(xml, /<testsuite name="loopwatch" tests="1" failures="1" errors="0" skipped="0">/)
  assert.match(xml, /name="x\ufffd\ufffd &lt;&amp;&quot;&gt;&#10;: report" file="lib\/report\.js" line="41" time="0\.12"><failure type="js"/)
  assert.match(junitReport(outcome), /tests="2" failures="1" errors="0" skipped="1"/)
  assert.match(junitReport(makeOutcome([])), /tests="1" failures="0"/)
})

test('SARIF names the place, and knows it again when its line has moved', () => {
  const [{ results, tool }] = sarifReport(outcome).runs
  assert.deepEqual(results[0].locations, [{ physicalLocation: { artifactLocation: { uri: 'lib/report.js' }, region: { startLine: 41 } } }])
  assert.equal(tool.driver.rules[results[0].ruleIndex].id, results[0].ruleId)
  assert.deepEqual(results.map(({ level }) => level), ['error', 'note'])
  assert.deepEqual([results[0].suppressions, results[1].suppressions?.length], [undefined, 1])
  const [moved] = sarifReport(makeOutcome([makeOffence({ line: 7, longestMs: 99 })])).runs[0].results
  assert.deepEqual(moved.partialFingerprints, results[0].partialFingerprints)
  assert.notDeepEqual(results[1].partialFingerprints, results[0].partialFingerprints)
})

test('the address of a file in SARIF has no other parts, whatever its folders are called', () => {
  const uriOf = (/** @type {string} */ file) => {
    const [{ results: [{ locations }] }] = sarifReport(makeOutcome([makeOffence({ file })])).runs
    return locations?.[0].physicalLocation.artifactLocation.uri
  }
  assert.equal(uriOf('C#/a?b/50%.js'), 'C%23/a%3Fb/50%25.js')
  assert.equal(uriOf('/srv/C#/a.js'), 'file:///srv/C%23/a.js')
  assert.equal(uriOf('C:/a b/a.js'), 'file:///C:/a%20b/a.js')
})

test('GitHub and GitLab get what fails, and nothing else', () => {
  const lines = githubAnnotations(makeOutcome([makeOffence({ file: 'a,b:c.js', tests: [{ file: 'f', name: '50%\nof', others: 0 }] }), makeOffence({ state: 'allowed' })]))
  assert.match(lines, /^::error file=a%2Cb%3Ac\.js,line=41,title=event loop blocked::report \(a,b:c\.js:41\): 120 ms .*, in f > 50%25%0Aof\n$/)
  assert.deepEqual(gitlabReport(outcome).map(({ location, severity }) => ({ location, severity })), [{ location: { path: 'lib/report.js', lines: { begin: 41 } }, severity: 'major' }])
})

test('JSON has whole records and says what fails', () => {
  const { blocks } = JSON.parse(JSON.stringify(jsonReport(outcome)))
  assert.deepEqual(blocks.map((/** @type {any} */ { fails, records }) => [fails, records[0].id]), [[true, '4242-1'], [false, '4242-1']])
})
