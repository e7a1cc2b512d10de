'use strict'

const { once } = require('node:events')
const http = require('node:http')
const zlib = require('node:zlib')
const { otlpSettings } = require('../../../lib/options/otlp')

/**
 * @typedef {object} Got a request
 * @property {string} url
 * @property {http.IncomingHttpHeaders} headers
 * @property {number} bytes as sent
 * @property {any} body
 * @typedef {{ status?: number, headers?: Record<string, string>, text?: string, isSilent?: boolean }} Answer
 */

/**
 * A receiver of OTLP/JSON that keeps what it gets.
 * @param {import('node:test').TestContext} t
 * @param {(got: Got, count: number) => Answer} [answer] to the nth request, from 0
 */
async function startOtlpReceiver (t, answer = () => ({})) {
  /** @type {Got[]} */
  const got = []
  const server = http.createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const sent = Buffer.concat(chunks)
    const text = request.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(sent) : sent
    const one = { url: `${request.url}`, headers: request.headers, bytes: sent.length, body: JSON.parse(`${text}`) }
    got.push(one)
    const { status = 200, headers = { 'content-type': 'application/json' }, text: answered = '{}', isSilent = false } = answer(one, got.length - 1)
    if (!isSilent) response.writeHead(status, headers).end(answered)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => { server.close().closeAllConnections() })
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  return { got, url, settings: (/** @type {NodeJS.ProcessEnv} */ env = {}) => otlpSettings(url, env) }
}

/** The values of OTLP's list of attributes. @param {any[]} attributes @returns {Record<string, any>} */
const plain = (attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** What requests hold of each kind. @param {{ body: any }[]} got */
const logsIn = (got) => got.flatMap(({ body }) => body.resourceLogs ?? []).flatMap(({ scopeLogs }) => scopeLogs)
  .flatMap(({ logRecords }) => logRecords).map((record) => ({ ...record, plain: plain(record.attributes) }))

/** @param {{ body: any }[]} got */
const spansIn = (got) => got.flatMap(({ body }) => body.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans)
  .flatMap(({ spans }) => spans).map((span) => ({ ...span, plain: plain(span.attributes ?? []) }))

/** The metrics of the last reading. @param {{ body: any }[]} got @returns {Record<string, any>} by name */
const metricsIn = (got) => Object.fromEntries((got.filter(({ body }) => body.resourceMetrics).at(-1)?.body
  .resourceMetrics ?? []).flatMap((/** @type {any} */ { scopeMetrics }) => scopeMetrics)
  .flatMap((/** @type {any} */ { metrics }) => metrics).map((/** @type {any} */ metric) => [metric.name, metric]))

exports.startOtlpReceiver = startOtlpReceiver
exports.plain = plain
exports.logsIn = logsIn
exports.spansIn = spansIn
exports.metricsIn = metricsIn
