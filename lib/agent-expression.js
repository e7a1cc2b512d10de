'use strict'

/** The agent of a process or thread, as an expression to be evaluated there by an inspector. */
exports.AGENT = 'globalThis[Symbol.for("loopwatch.agent.1")]'

/**
 * getBuiltinModule() of a worker thread, as such an expression. Where the application has put a browser's `process`
 * in place of its global one the agent has it, or `require` of the inspector's command line.
 */
exports.BUILTIN = `(globalThis.process?.getBuiltinModule ?? ${exports.AGENT}?.getBuiltinModule ?? require('node:process').getBuiltinModule)`
