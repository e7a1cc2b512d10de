'use strict'

// The process of the built-in driver: it has no part in what the server's process does.
const { drive } = require('./drive')

process.on('disconnect', () => process.exit())
process.on('SIGINT', () => {})
process.on('message', (/** @type {import('./interface').LoadOrder} */ order) => {
  drive(order, (requests) => process.send?.({ type: 'progress', requests }))
    .then((result) => process.send?.({ type: 'result', result }), (error) => process.send?.({ type: 'failure', message: `${error.stack ?? error}` }))
})
process.send?.({ type: 'ready' })
