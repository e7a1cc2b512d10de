'use strict'

const { Recently } = require('./recently')

/** After this long without a block, requests are no longer followed where that costs. */
const QUIET_MS = 10 * 60 * 1000

/**
 * Whether requests are worth following through their asynchronous work where AsyncLocalStorage costs
 * a tenth of the throughput (Node.js 20 and 22): from the first block on, until it has been quiet.
 */
class RequestTracking {
  #tell
  #say
  #blocks = new Recently({ withinMs: QUIET_MS })
  isOn = false

  /**
   * @param {(on: boolean) => void} tell
   * @param {(level: 'info', fields: object, message: string) => void} say
   */
  constructor (tell, say) {
    this.#tell = tell
    this.#say = say
  }

  /** A block has its verdict. @param {number} nowMs */
  settled (nowMs) {
    this.#blocks.add(nowMs)
    this.tick(nowMs)
  }

  /** @param {number} nowMs */
  tick (nowMs) {
    const isOn = this.#blocks.isOn(nowMs)
    if (this.isOn === isOn) return
    this.isOn = isOn
    this.#tell(isOn)
    if (isOn) {
      const message = 'requests are followed from now on, so that the next blocks have theirs ' +
        "(requests: 'auto'; 'on' does from the start)"
      this.#say('info', { event: 'requests_on' }, message)
    }
  }
}

exports.RequestTracking = RequestTracking
exports.QUIET_MS = QUIET_MS
