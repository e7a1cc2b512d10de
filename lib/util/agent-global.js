'use strict'

/** The agent of a process, as an expression that an inspector evaluates there. */
exports.AGENT = 'globalThis[Symbol.for("loopwatch.agent.1")]'
