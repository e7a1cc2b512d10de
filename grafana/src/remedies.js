'use strict'

const { causes } = require('../../lib/tables/causes')

/** The remedies of all causes, in one line. */
exports.remedies = Object.entries(causes)
  .flatMap(([cause, { remedy }]) => remedy === undefined ? [] : [`${cause}: ${remedy}.`]).join(' ')
