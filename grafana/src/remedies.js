'use strict'

const { causes } = require('../../lib/tables/causes')

/** What to do about each cause, in a line. */
exports.remedies = Object.entries(causes)
  .flatMap(([cause, { remedy }]) => remedy === undefined ? [] : [`${cause}: ${remedy}.`]).join(' ')
