'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')

const channel = diagnosticsChannel.channel('loopwatch:block')

/** Publishes a finished block on the diagnostics channel `loopwatch:block`. @param {unknown} record */
exports.publish = (record) => channel.publish(record)
