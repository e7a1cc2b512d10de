'use strict'

/** The label of everything beyond a bound: routes, threads, methods, stacks. */
exports.OTHER = '(other)'
