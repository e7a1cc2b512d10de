'use strict'

// Sends back what it received, the object itself.
process.on('message', (message) => process.send?.(message))
process.send?.('ready')
