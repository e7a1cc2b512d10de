'use strict'

const path = require('node:path')
const { causes } = require('../../tables/causes')
const { adviceOn } = require('../../util/cause-document')
const { faultInWords, loadInWords } = require('../profile/load')
const { DISAGREE, percent } = require('./second-run')
const { escaped, htmlReport, htmlTable, jsonLink } = require('../common/html-report')

const ROUTES = 10

/** @typedef {import('./judge').Verdict} Verdict */
/** @typedef {import('../profile/load').Load} Load */

const ms = (/** @type {number} */ value) => value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value.toFixed(value < 10 ? 1 : 0)} ms`

/** @param {Verdict} verdict @param {number} durationMs @param {Load | null} load */
function inWords (verdict, durationMs, load) {
  const fault = load && faultInWords(load)
  return `${verdictInWords(verdict, durationMs)}${fault === null ? '' : ` In this run ${fault}.`}`
}

/**
 * Disagreements of the two runs come first: the rest has to be read with them in mind.
 * @param {Verdict} verdict @param {number} durationMs @param {Load | null} load @param {string[]} notes
 */
function conclusion (verdict, durationMs, load, notes) {
  const disputes = notes.filter((note) => note.startsWith(DISAGREE))
  return [...disputes, inWords(verdict, durationMs, load), ...notes.filter((note) => !disputes.includes(note))]
}

/** The causes in the report. @param {Verdict} verdict */
function glossary ({ cause, sites }) {
  const named = [...new Set([cause, ...sites.map((site) => site.cause)])]
  return `<dl>${named.map((name) => name === null || name === 'io' ? '' : `<dt><b>${name}</b></dt><dd>${escaped(causes[name].meaning)}</dd>`).join('')}</dl>`
}

/** @param {Verdict} verdict @param {number} durationMs */
function verdictInWords ({ cause, causeShare = 1, blockedMs, blockedShare, count, known, knownMs, sites }, durationMs) {
  if (cause === null) return `Nothing is wrong with the event loop: it was blocked for ${ms(blockedMs)} of ${ms(durationMs)} (${percent(blockedShare)}).`
  if (cause === 'io') return `The event loop is not what requests wait for: it was blocked for ${percent(blockedShare)} of the time and has time to spare. They wait for something outside of the process.`
  const whole = `The event loop was blocked for ${ms(blockedMs)} of ${ms(durationMs)} (${percent(blockedShare)})${causeShare > 0.5 ? ', mostly because' : ', for several reasons, the largest of them'}: ${causes[cause].meaning}. `
  const [site] = sites
  if (site === undefined) return whole
  return whole + `${percent(site.blockedMs / knownMs)} of ${known < count ? `what the ${known} blocks took whose place is known, of ${count},` : 'it'} is ${site.place}, ${site.count === 1 ? 'once' : `${site.count} times, at most ${ms(site.longestMs)}`}${site.routes.length > 0 ? `, in ${site.routes.slice(0, 3).join(', ')}` : ''}.`
}

/**
 * `tree` is the agent's flame graph of blocked time; `notes` compare the second run to the first, a sentence each.
 * @param {{ command: string, durationMs: number, verdict: Verdict, load: Load | null, tree: object, notes?: string[],
 *   latencies: import('./latency').Latency[],
 *   tool: { name: string, href: string | null, reason: string | null } | null }} found
 */
exports.diagnosisReport = ({ command, durationMs, verdict, latencies, load, tree, tool, notes = [] }) => {
  const { cause, sites } = verdict
  const told = conclusion(verdict, durationMs, load, notes)
  const blame = htmlTable(['blocked', 'times', 'longest', 'cause', 'where', 'work'], sites.map(({ blockedMs, count, longestMs, cause, place, file, routes }) =>
    [{ figure: ms(blockedMs) }, { figure: String(count) }, { figure: ms(longestMs) }, cause, file === null ? place : `${place} in ${path.dirname(file)}`, routes.join(', ')]))
  const sample = verdict.known < verdict.count ? `<p>Of ${verdict.count} blocks; the places are those of the ${verdict.known} whose records the agent still had.</p>` : ''
  // A request's duration excludes the wait before it is read: neither column is a share of the other.
  const cost = htmlTable(['route', 'requests', 'mean duration', 'mean wait while something else blocked, before it is read too'], latencies.slice(0, ROUTES).map(({ route, requests, meanMs, waitedMs }) =>
    [route, { figure: String(requests) }, { figure: ms(meanMs) }, { figure: ms(waitedMs) }]))
  const under = load === null ? '' : `<p>Under load: ${escaped(loadInWords(load))}.</p>`
  const deeper = tool === null ? '' : `<section><h2>${escaped(tool.name)}</h2><p>${tool.href === null ? `No report: ${escaped(tool.reason)}` : `<a href="${escaped(tool.href)}">The report of ${escaped(tool.name)}</a>, of a second run under the same load.`}</p></section>`
  return htmlReport({
    title: `Diagnosis of ${command}`,
    summary: `${ms(durationMs)} under the agent of loopwatch; node ${process.versions.node}`,
    body: `<p class="now ${cause === null ? 'running' : 'blocked'}">${escaped(told.join(' '))}</p>${jsonLink('diagnosis.json', { command, node: process.versions.node, durationMs, told, verdict, latencies, load: load && { ...load, statuses: Object.fromEntries(load.statuses) }, tool: tool && { name: tool.name, reason: tool.reason } })}
${sites.length > 0 ? `<section><h2>What blocks, and where</h2>${sample}${blame}${glossary(verdict)}</section>` : ''}
${latencies.length > 0 ? `<section><h2>What it costs in latency</h2>${under}${cost}</section>` : ''}
${advised(verdict).map(adviceSection).join('\n')}
${deeper}`,
    flameTitle: 'Blocked time',
    tree
  })
}

/** Causes worth advice, the main one first. @param {Verdict} verdict */
function advised ({ cause, sites, knownMs }) {
  const weighty = sites.filter((site) => site.blockedMs >= knownMs / 10).map((site) => site.cause)
  return cause === null ? [] : [...new Set([cause, ...weighty])]
}

/** This installation may lack its documents. @param {string} name */
function adviceSection (name) {
  const advice = adviceOn(name)
  return advice === null ? '' : `<section><h2>What to try: ${escaped(name)}</h2>${markdown(Object.values(advice).join('\n\n'))}</section>`
}

/** The little Markdown of advice: paragraphs, lists, `code`. @param {string} text */
function markdown (text) {
  return text.trim().split(/\n\n+/).map((block) => {
    const html = escaped(block).replace(/`([^`]+)`/g, '<code>$1</code>')
    return block.startsWith('- ') ? `<ul style="list-style: disc; padding-inline-start: 1.5rem">${html.split(/^- /m).slice(1).map((item) => `<li>${item}</li>`).join('')}</ul>` : `<p>${html}</p>`
  }).join('\n')
}

exports.conclusion = conclusion
exports.inWords = inWords
