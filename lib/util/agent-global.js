'use strict'

/** The agent of a process or thread, as an expression to be evaluated there by an inspector. */
exports.AGENT = 'globalThis[Symbol.for("loopwatch.agent.1")]'

/**
 * getBuiltinModule() of a worker thread, as such an expression; undefined where the application has put a browser's
 * `process` in place of the global one before the agent was there. The inspector's own `require` is not asked for:
 * making it loads files of Node.js, amid whose preparations of the thread that fails an assertion.
 */
exports.BUILTIN = `(globalThis.process?.getBuiltinModule ?? ${exports.AGENT}?.getBuiltinModule)`
