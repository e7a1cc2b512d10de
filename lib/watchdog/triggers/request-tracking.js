'use strict'

/** Without a block for this long, requests are no longer followed where that costs. */
const QUIET_MS = 10 * 60 * 1000

/**
 * Whether requests are worth following through their asynchronous work where AsyncLocalStorage costs
 * a tenth of the throughput (Node.js 20 and 22): from the first block on, until it has been quiet.
 */
class RequestTracking {
  #tell
  #say
  #untilMs = -Infinity
  isOn = false

  /**
   * @param {(on: boolean) => void} tell
   * @param {(level: 'info', fields: object, message: string) => void} say
   */
  constructor (tell, say) {
    this.#tell = tell
    this.#say = say
  }

  /** @param {number} nowMs */
  block (nowMs) {
    this.#untilMs = nowMs + QUIET_MS
    this.#set(true)
  }

  /** @param {number} nowMs */
  tick (nowMs) {
    if (nowMs >= this.#untilMs) this.#set(false)
  }

  /** @param {boolean} on */
  #set (on) {
    if (this.isOn === on) return
    this.isOn = on
    this.#tell(on)
    if (on) this.#say('info', { event: 'requests_on' }, "requests are followed from now on, so that the next blocks have theirs (requests: 'auto'; 'on' does from the start)")
  }
}

exports.RequestTracking = RequestTracking
exports.QUIET_MS = QUIET_MS
