'use strict'

/**
 * @typedef {object} SlowWork an open request, or open work, of at least a second
 * @property {string} name of the route or the work @property {boolean} isRequest
 * @property {string | null} peer that it waits for, null: nothing that is published @property {boolean} isPool
 * @property {boolean} isSure calls to the peer are known to be waited for
 * @property {boolean} isUnsent its call has no connection yet
 * @property {number} ageMs @property {number} waitMs how long it has waited for the peer
 */

/**
 * Codes of the messages between the host and its watchdog. Unknown codes are ignored, so that two versions work in one
 * process. Nothing that must work during a block is sent as a message.
 */
module.exports = {
  CALL: 1, // host to watchdog: { code, id, method }
  STOP: 2, // host to watchdog: { code }
  LISTENING: 3, // watchdog to host: { code, url } whenever the endpoint's address is settled or changes
  REPLY: 4, // watchdog to host: { code, id, value }
  BLOCK: 5, // watchdog to host: { code, record } of a finished block
  // watchdog to host: { code, on } whether to follow requests through asynchronous work
  // host to watchdog: { code } it follows them no longer, as that costs too much
  FOLLOW: 6,
  WARN: 7, // watchdog to host: { code, message } a warning that the log cannot take
  // watchdog to host: { code, file } is there a source map in memory?
  // host to watchdog, also without a question: { code, file, text } text is null without a map; { code, file, mapFile }
  // if it is on disk
  SOURCE_MAP: 8,
  TRACK: 10, // watchdog to host: { code, open, seconds, why, ended } an origin tracking window is wanted, or no longer
  // host to watchdog: { code, open, reason, seconds, why, ended, failure } origin tracking is on, off, or impossible
  TRACKING: 11,
  // watchdog to host: { code } what waits?
  // host to watchdog: { code, counts, threads } active resources by type, and threads of libuv's pool
  RESOURCES: 16,
  // watchdog to host: { code, peer, isOpen } an incident begins, with the name of its peer (null: unknown), or ends
  // host to watchdog: { code, slow: SlowWork[], open, usage, frames } what waits, once a second (host/work/waits.js)
  WAITS: 19,
  SLOW: 17, // watchdog to host: { code, incident } that has ended: a full thread pool, a busy loop
  ORIGIN: 12, // host to watchdog: { code, startMs, endMs, type, frames } of a slow callback, at its end
  // A callback with a smaller share of a block is not its origin: a turn can hold two callbacks of a kind. The host
  // does not report callbacks with a smaller share of the shortest block.
  ORIGIN_SHARE: 0.3,
  // host to watchdog: { code, action, isOn, tookMs, failure, taken } the result of starting, taking or stopping the CPU
  // profile; taken: { startMs, endMs } with `profile`, or its `text`; action `missed`, with endMs: nothing is known of
  // the time before, as the profile rested. watchdog to host: { code, action } if no interrupt is needed
  PROFILE: 13,
  // watchdog to host: { code } a block may have been in a statement of node:sqlite, follow them
  // host to watchdog: { code, text, durationMs, atMs, count, totalMs, more } the longest statement before a late beat,
  // without literals; count and time of all of them
  QUERY: 25,
  SPAN: 14, // watchdog to host: { code, span } of a block, for the application's own tracer provider
  // host to watchdog: { code, id, traceId, spanId, startMs, endMs, hasWaited } a sampled request that a block delayed
  WAITED: 15,
  // host to watchdog: { code, isShown, isAwaited } whether a preloaded process has its endpoint; if somebody waits for
  // it, the watchdog loads without pauses
  SHOW: 18,
  // host to watchdog: { code, threadId } a worker thread of the application
  // { code, threadId, memory, name, tid } one that is polled from outside
  THREAD_STARTED: 20,
  THREAD_ENDED: 21, // host to watchdog: { code, threadId }
  // host to watchdog: { code, threadId, work: { kind, name, id, startedAtMs } } all that a worker thread works on
  THREAD_WORK: 22,
  // watchdog to host: { code, threadId } take a CPU profile of that worker thread
  // host to watchdog: { code, threadId, taken } taken: { questionAtMs, startMs, text }, null if there is none
  THREAD_PROFILE: 23,
  // watchdog to host: { code, isStart, isCounting } start or end a heap profile
  // host to watchdog: { code, isOn, text } the profile's JSON at its end, null if there is none
  HEAP_PROFILE: 24,
  // The BroadcastChannel of worker threads. Each sends the watchdog its memory, stamped with its layout:
  // { memory, threadId, name, tid }
  CHANNEL: 'loopwatch.threads.1',
  LEAD: 30 // host to watchdog: { code } this process has become the primary of a cluster
}
