'use strict'

/** The agent of a process, as an expression to be evaluated there by an inspector. */
exports.AGENT = 'globalThis[Symbol.for("loopwatch.agent.1")]'
