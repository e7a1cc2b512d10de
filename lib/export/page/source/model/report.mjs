import { excuseOf, isExcused, largestOther, ownCauseOf } from '../../../../tables/causes.js'
import { issueText, lineText } from '../../../../util/place-text.js'
import { counted, duration, percent } from '../format.mjs'
import { calledBy, placeOf, timePartsOf, workOf, wordsOf } from './labels.mjs'

/** Says in one sentence what blocked. @param {any} record */
export function whyOf (record) {
  const { durationMs, ongoing, cause, frame, probable, startup, package: owner, packageIssue } = record
  const how = `The loop ${ongoing ? 'has been' : 'was'} blocked for ` +
    `${duration(durationMs)}${startup ? ' at startup' : ''}`
  if (isExcused(record)) return `${how}: ${excuseOf(cause)}. No line of code is to blame.`
  const other = largestOther(record)
  const rest = other === null ? '' : `, ${duration(other[1])} of it ${wordsOf(other[0])}`
  const line = probable && probable.line !== frame?.line ? ` in line ${probable.line}` : ''
  const guess = probable ? `, probably by ${probable.call}${line}` : ''
  const issue = packageIssue ? ` (${issueText(packageIssue)})` : ''
  const within = owner ? ` in the package ${owner.name}${owner.version ? `@${owner.version}` : ''}${issue}` : ''
  const work = workOf(record)
  const who = work === '' ? '' : `, for ${work}`
  const change = record.change ? `, ${record.change.text}` : ''
  const place = `${calledBy(record)}${placeOf(record)}${guess}${change}${who}`
  return `${how}${rest}: ${wordsOf(ownCauseOf(record))}${within} – ${place}.`
}

/** Text in backticks. Names may contain backticks and line breaks, which would end it. @param {string} text */
const code = (text) => `\`${text.replace(/`/g, "'").replace(/\s+/g, ' ')}\``

/** Escapes names, which are not markup. @param {string} text */
const plain = (text) => text.replace(/[*_<>[\]]/g, '\\$&').replace(/\s+/g, ' ')

/** A block as Markdown, for a ticket. @param {any} detail answer of `/block` @param {string} link to the page */
export function markdownOf ({ block, source, advice, waits }, link) {
  const parts = timePartsOf(block).map(({ label, ms }) => `${label} ${duration(ms)}`).join(', ')
  const { frame } = block
  const doubt = frame?.exact === false ? ' (≈ the line is uncertain)' : ''
  const lines = [
    `### Event loop blocked for ${duration(block.durationMs)}`,
    '',
    plain(whyOf(block)),
    '',
    `- block ${code(block.id)}, ${block.startedAt}, process ${block.pid}`,
    frame !== null && !isExcused(block) && `- place ${code(`${frame.file}${lineText(frame)}`)}${doubt}`,
    parts !== '' && `- time: ${parts}`,
    waits.requests > 0 && `- ${counted(waits.requests, 'request')} waited, the longest ${duration(waits.longestMs)}`,
    ...advice.map((/** @type {any} */ { text }) => `- advice: ${text}`),
    `- ${link}`,
    ...(source === null ? [] : ['', '```js', ...source.lines.map(lineOf), '```'])
  ]
  return `${lines.filter((line) => line !== false).join('\n')}\n`
}

/** @param {{ line: number, text: string, share: number }} line */
const lineOf = ({ line, text, share }) =>
  `${`${line}`.padStart(5)} ${share > 0 ? percent(share).padStart(6) : '      '}  ${text.replace(/```/g, "'''")}`
