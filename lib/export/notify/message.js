'use strict'

const os = require('node:os')
const { sentenceOf } = require('../../util/sentence')

/** @import { BlockRecord } from '../../types' */

/** Slack's hosts, also those of its government service. */
const SLACK = /(?:^|\.)hooks\.slack(?:-gov)?\.com$/
/** Slack cuts longer texts; a sentence is far shorter. */
const TEXT_CHARS = 2000

/**
 * Slack accepts only a text. Other receivers get the record as well.
 * @param {URL} url @param {BlockRecord} record with its heaviest stack
 * @param {{ labels: Record<string, string>, held: number }} more `held`: blocks without a message since the last one
 */
exports.messageOf = (url, record, { labels, held }) => {
  const name = `${labels.service ?? 'loopwatch'} on ${os.hostname()} (process ${record.pid})`
  const rest = held === 0 ? '' : ` ${held} more had no message of their own.`
  const text = `${name}: ${sentenceOf(record)}.${rest}`.slice(0, TEXT_CHARS)
  if (SLACK.test(url.hostname)) return { text: forSlack(text) }
  return { event: 'block', text, labels, hostname: os.hostname(), held, block: record }
}

/** Names from the application must not become links or mentions. @param {string} text */
const forSlack = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
