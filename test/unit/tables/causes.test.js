'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { causes } = require('../../../lib/tables/causes')

test('no two causes have one color on the page or the dashboards', () => {
  for (const where of /** @type {const} */ (['light', 'dark', 'grafana'])) {
    const colors = Object.values(causes).map(({ color }) => color[where])
    assert.deepEqual(colors, [...new Set(colors)], `each cause needs its own \`${where}\` color in lib/tables/causes.js`)
  }
})
