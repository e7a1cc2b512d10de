'use strict'

/**
 * Codes of the messages between the host and its watchdog. Unknown codes are ignored, so that two versions work in one
 * process. Nothing that must work during a block is sent as a message.
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
   * watchdog to host: { code, on } whether to follow requests through asynchronous work; host to watchdog: { code } it
   * follows them no longer, as that costs too much
   */
  FOLLOW: 6,
  /** watchdog to host: { code, message } a warning that the log cannot take */
  WARN: 7,
  /**
   * watchdog to host: { code, file } is there a source map in memory? host to watchdog: { code, file, text }, text null
   * without one, or { code, file, mapFile } if it is on disk; also without a question
   */
  SOURCE_MAP: 8,
  /** watchdog to host: { code, open, seconds, why, ended } a window of origin tracking is wanted, or no longer */
  TRACK: 10,
  /** host to watchdog: { code, open, reason, seconds, why, ended, failure } tracking is on, off, or impossible */
  TRACKING: 11,
  /** host to watchdog: { code, startMs, endMs, type, frames } of a slow callback, when it is over */
  ORIGIN: 12,
  /**
   * A callback with a smaller share of a block is not its origin: a turn can hold two callbacks of a kind. Callbacks
   * with a smaller share of the shortest block are not sent.
   */
  ORIGIN_SHARE: 0.3,
  /**
   * host to watchdog: { code, action, isOn, tookMs, failure, taken } the result of starting, taking or stopping the CPU
   * profile; taken: { startMs, endMs } with `profile`, or its `text`; action `missed`, with endMs: the profile rested
   * until then. watchdog to host: { code, action } if no interrupt is needed
   */
  PROFILE: 13,
  /** watchdog to host: { code, span } of a block, for the application's own tracer provider */
  SPAN: 14,
  /** host to watchdog: { code, id, traceId, spanId, startMs, endMs, hasWaited } of a sampled request after a block */
  WAITED: 15,
  /**
   * host to watchdog: { code, threadId } of a worker thread of the application; { code, threadId, memory, name, tid }
   * of one that is polled from outside
   */
  THREAD_STARTED: 20,
  /** host to watchdog: { code, threadId } */
  THREAD_ENDED: 21,
  /** host to watchdog: { code, threadId, work: { kind, name, id, startedAtMs } } all that a worker thread works on */
  THREAD_WORK: 22,
  /** The BroadcastChannel of worker threads. Each sends the watchdog { memory, threadId, name, tid }. */
  CHANNEL: 'loopwatch.threads.1',
  /** host to watchdog: { code } this process has become the primary of a cluster */
  LEAD: 30
}
