'use strict'

// The rows in the reply of the endpoint `database`, and their size in bytes.

/** Limit of the select. From the thousandth request on, the reply is full. */
const LIMIT = 1000
/** `{"t":"2026-11-21T16:00:00.000Z","via":"k"}` */
const ROW_BYTES = 42
/** `{"rows":[]}` */
const FRAME_BYTES = 11
/** Status line, Content-Type, Date, Connection, Keep-Alive and Content-Length of five digits. */
const HEAD_BYTES = 158
/** The original's request, and ours: `GET /`, Host, and two more lines. */
const REQUEST_BYTES = 80

/** @param {number} rows */
const bodyBytes = (rows) => FRAME_BYTES + ROW_BYTES * rows + Math.max(0, rows - 1)

/** Data received in a run of so many requests that began with an empty table. @param {number} requests */
exports.receivedBytes = (requests) => {
  const growing = Math.min(requests, LIMIT)
  let sum = (requests - growing) * bodyBytes(LIMIT) + requests * HEAD_BYTES
  for (let rows = 1; rows <= growing; rows++) sum += bodyBytes(rows)
  return sum
}

/** @param {number} requests */
exports.sentBytes = (requests) => requests * REQUEST_BYTES

exports.bodyBytes = bodyBytes
exports.FULL_BODY_BYTES = bodyBytes(LIMIT)
exports.LIMIT = LIMIT

/**
 * The table as the original has it: no index, and empty. The fixed one has as many rows as the original's had at its
 * end.
 */
exports.schema = `
  drop table if exists loopwatch_requests, loopwatch_fixed, loopwatch_log;
  create table loopwatch_requests (t timestamptz, via text not null default 'k');
  create table loopwatch_fixed (t timestamptz, via text not null default 'k');
  create table loopwatch_log (t timestamptz, via text not null default 'k');
  insert into loopwatch_fixed select now() from generate_series(1, 10000);
  analyze loopwatch_fixed;`
exports.cleanup = 'drop table if exists loopwatch_requests, loopwatch_fixed, loopwatch_log'
