'use strict'

/**
 * Codes of the messages between the host and its watchdog; unknown ones are ignored, so that two
 * versions in one process get along. Nothing that must work during a block travels this way.
 */
module.exports = {
  /** host to watchdog: { code, id, method } */
  CALL: 1,
  /** host to watchdog: { code } */
  STOP: 2,
  /** watchdog to host: { code, url } whenever the endpoint's address is settled or changes */
  LISTENING: 3,
  /** watchdog to host: { code, id, value } */
  REPLY: 4,
  /** watchdog to host: { code, record } of a finished block */
  BLOCK: 5,
  /**
   * watchdog to host: { code, on } follow requests through asynchronous work, or no longer; host to watchdog: { code }
   * they are not followed any longer, as it costs too much
   */
  FOLLOW: 6,
  /** watchdog to host: { code, message } what the log cannot tell */
  WARN: 7,
  /**
   * watchdog to host: { code, file } is there a source map in memory? host to watchdog: { code, file, text }, null
   * without one, or { code, file, mapFile } where it is on disk; also unasked
   */
  SOURCE_MAP: 8,
  /** watchdog to host: { code, open, seconds, why, ended } a window of origin tracking is wanted, or no longer */
  TRACK: 10,
  /**
   * host to watchdog: { code, open, reason, seconds, why, ended, failure } origin tracking is on, off, or impossible
   */
  TRACKING: 11,
  /** host to watchdog: { code, startMs, endMs, type, frames } of a slow callback, when it is over */
  ORIGIN: 12,
  /**
   * Less of a block than this is not where the block comes from: a turn can hold two callbacks of a kind. The host does
   * not tell of callbacks that are less of the shortest block.
   */
  ORIGIN_SHARE: 0.3,
  /**
   * host to watchdog: { code, action, isOn, tookMs, failure, taken } what has become of a start, a taking or a stop of
   * the CPU profile; taken: { startMs, endMs } with `profile`, or its `text`; action `missed`, with endMs: nothing is
   * known of what was before, as the profile rested. watchdog to host: { code, action } where it needs no interrupt
   */
  PROFILE: 13,
  /** watchdog to host: { code, span } of a block, for the application's own tracer provider */
  SPAN: 14,
  /**
   * host to watchdog: { code, id, traceId, spanId, startMs, endMs, hasWaited } a sampled request that a block delayed
   */
  WAITED: 15,
  /**
   * host to watchdog: { code, threadId } of a worker thread of the application; { code, threadId, memory, name, tid }
   * of one that is looked at from outside
   */
  THREAD_STARTED: 20,
  /** host to watchdog: { code, threadId } */
  THREAD_ENDED: 21,
  /** host to watchdog: { code, threadId, work: { kind, name, id, startedAtMs } } all that a worker thread does */
  THREAD_WORK: 22,
  /**
   * The BroadcastChannel of worker threads. Each hands the watchdog its memory, which says in whose layout it is:
   * { memory, threadId, name, tid }.
   */
  CHANNEL: 'loopwatch.threads.1',
  /** host to watchdog: { code }, this process has become the primary of a cluster */
  LEAD: 30
}
