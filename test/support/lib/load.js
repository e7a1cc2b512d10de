'use strict'

const { Counters } = require('../../../lib/bridge/counters')
const { LoopLoad } = require('../../../lib/host/shedding/loop-load')

/** A load that says what it is told. @param {number} delayMs @param {number} utilization */
function fixed (delayMs, utilization) {
  const load = new LoopLoad()
  load.delayMs = () => delayMs
  load.utilization = () => utilization
  return { load, counters: new Counters(new SharedArrayBuffer(Counters.BYTES), 0) }
}

exports.fixed = fixed
