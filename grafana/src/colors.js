'use strict'

/** A cause looks the same in every panel: code in warm colors, what is not the code's fault in grey. */
const colors = {
  js: 'red',
  native: 'orange',
  gc: 'purple',
  'sync-io': 'blue',
  many: 'yellow',
  starved: '#8e8e8e',
  suspended: '#bdbdbd',
  unknown: '#5a5a5a'
}

/** Overrides by the name of the series. */
exports.byCause = Object.entries(colors).map(([cause, fixedColor]) => /** @type {[string, { id: string, value: unknown }[]]} */ ([cause, [{ id: 'color', value: { mode: 'fixed', fixedColor } }]]))
