'use strict'

const { execFile } = require('node:child_process')
const { promisify } = require('node:util')
const { LISTEN, tcpRows } = require('../common/ports')
const { parseAddress } = require('../../util/socket-address')
const { counted, duration } = require('../../util/sentence')

/** @import { Row } from './kernel-view' */

/** Longest wait for `ss`, which lists all sockets of the network namespace. */
const SS_MS = 2000
const SS_BYTES = 64 * 1024 * 1024
const SS = ['--tcp', '--info', '--extended', '--numeric', 'state', 'established', 'state', 'close-wait']
/** States of a TCP socket in the kernel's tables. */
const STATES = /** @type {Record<string, string>} */ ({ '02': 'connecting', '08': 'closed by the peer' })
/** Rows of one kind that are printed, the largest groups first. */
const ROWS = 10

/**
 * @typedef {{ fd: number, peer: string, quietMs: number, notes: string[] }} Connection
 *   quietMs: time since its last data, NaN if unknown
 */

/** TCP sockets of a process. Only `ss` has their times. @param {number} pid @returns {Promise<Connection[]>} */
exports.connectionsOf = async (pid) => {
  const { stdout } = await promisify(execFile)('ss', SS, { timeout: SS_MS, maxBuffer: SS_BYTES })
    .catch(() => ({ stdout: '' }))
  const rowsByInode = new Map(stdout.split(/\n(?=\S)/).map((row) => [/ ino:(\d+)/.exec(row)?.[1], row]))
  const rows = tcpRows(pid)
  // A worker of a cluster does not have the socket that listens.
  const ports = new Set(rows.filter(({ state }) => state === LISTEN).map(({ local }) => parseAddress(local).port))
  return rows.flatMap(({ fd, state, inode, queues, ...row }) => {
    if (fd === undefined || state === LISTEN) return []
    const [local, remote] = [row.local, row.remote].map(parseAddress)
    const { sentMs, receivedMs } = timesIn(rowsByInode.get(inode))
    const isOfClient = ports.has(local.port)
    const isUnanswered = isOfClient ? receivedMs < sentMs : sentMs < receivedMs
    const [unsent, unread] = queues.split(':').map((bytes) => /[^0]/.test(bytes))
    return [{
      fd,
      peer: isOfClient ? `from clients of port ${local.port}` : `to ${remote.host}:${remote.port}`,
      quietMs: Math.min(sentMs, receivedMs),
      notes: /** @type {string[]} */ (state in STATES
        ? [STATES[state]]
        : [
            isUnanswered && `${isOfClient ? 'received' : 'sent'} last`,
            unsent && 'with data that the peer has not confirmed',
            unread && 'with data that is not read'
          ].filter(Boolean))
    }]
  })
}

/** Both are equal if a socket sent and received within one tick of the kernel. @param {string} [row] of `ss` */
function timesIn (row) {
  // Numbers that are zero are left out.
  const numberOf = (/** @type {string} */ name) =>
    row === undefined ? NaN : Number(new RegExp(` ${name}:(\\d+)`).exec(row)?.[1] ?? 0)
  const [sent, received] = [numberOf('data_segs_out'), numberOf('data_segs_in')]
  return {
    // Without any data it is the age of the connection.
    sentMs: sent === 0 && received > 0 ? Infinity : numberOf('lastsnd'),
    receivedMs: received === 0 && sent > 0 ? Infinity : numberOf('lastrcv')
  }
}

/** @param {Connection[]} connections @returns {Row[]} */
exports.socketRows = (connections) => rowsOf('sockets', connections, ({ peer }) => peer, (sockets, peer) =>
  [peer, ...quietText(sockets), ...countsOf(sockets.flatMap(({ notes }) => notes))].join(', '))

/** @param {string[]} waits the value of WAITS @param {Connection[]} connections @returns {Row[]} */
exports.waitRows = (waits, connections) => {
  const [messages, queues, lookups, resources, omitted] = waits.map((text) =>
    text.split('\n').filter((line) => line !== '').map((line) => line.split('\t')))
  const sockets = new Map(connections.map((connection) => [`${connection.fd}`, connection]))
  const nameOf = (/** @type {string[]} */ [fd, name, phase]) =>
    `${name}${/:\d+$/.exec(sockets.get(fd)?.peer ?? '') ?? ''} ${phase}`
  const queueRow = (/** @type {string[]} */ [waiting, inUse, host, port]) =>
    ['http.Agent', `${waiting} waiting for one of ${counted(Number(inUse), 'socket')} to ${host}${port && `:${port}`}`]
  return /** @type {Row[]} */ ([
    ...rowsOf('requests', messages, nameOf, (group, name) =>
      [name, ...quietText(group.flatMap(([fd]) => sockets.get(fd) ?? []))].join(', ')),
    ...rowsOf('DNS', lookups, ([host]) => `lookup of ${host}`),
    ...queues.slice(0, ROWS).map(queueRow),
    ['active', countsOf(resources.flat()).join(', ')],
    ...omitted.map(([text]) => ['omitted', text])
  ])
}

/** @param {Connection[]} sockets */
function quietText (sockets) {
  const quiet = sockets.map(({ quietMs }) => quietMs).filter((ms) => !Number.isNaN(ms))
  return quiet.length === 0 ? [] : [`no data for up to ${duration(Math.max(...quiet))}`]
}

/** @param {string[]} names */
const countsOf = (names) => rowsOf('', names, (name) => name).map(([, text]) => text)

/**
 * A row for each group of items, the largest first.
 * @template T @param {string} head @param {T[]} items @param {(item: T) => string} nameOf the group of an item
 * @param {(group: T[], name: string) => string} [textOf] the text after the count
 * @returns {Row[]}
 */
function rowsOf (head, items, nameOf, textOf = (group, name) => name) {
  /** @type {Map<string, T[]>} */
  const groups = new Map()
  for (const item of items) {
    const name = nameOf(item)
    const group = groups.get(name) ?? []
    groups.set(name, group)
    group.push(item)
  }
  const rows = [...groups].sort(([, a], [, b]) => b.length - a.length)
    .map(([name, group]) => /** @type {Row} */ ([head, `${group.length} ${textOf(group, name)}`]))
  const more = rows.length - ROWS
  return more > 0 ? [...rows.slice(0, ROWS), [head, `and ${more} more`]] : rows
}
