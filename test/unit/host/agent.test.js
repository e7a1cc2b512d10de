'use strict'

// runtime: which parts of Node.js there are
const test = require('node:test')
const assert = require('node:assert/strict')

test('requests are not followed where that could end the application (CVE-2025-59466)', () => {
  const { isContextSafe } = require('../../../lib/host/runtime')
  for (const [version, safe] of /** @type {[string, boolean][]} */ ([
    ['20.19.5', false], ['20.20.0', true], ['21.7.3', false], ['22.21.1', false], ['22.22.0', true], ['23.11.0', false], ['24.0.0', true], ['26.10.0', true]
  ])) assert.equal(isContextSafe(version), safe, version)
})

test('the last of several flags decides about network inspection, however it is written', () => {
  const { hasNetworkInspection } = require('../../../lib/host/runtime')
  const on = '--experimental-network-inspection'
  const off = '--no-experimental-network-inspection'
  for (const [execArgv, options, isOn] of /** @type {[string[], string, boolean][]} */ ([
    [[], '', false], [[on], '', true], [['--experimental_network_inspection'], '', true], [['-r', 'x.js', on, '--inspect'], '', true],
    [[on, off], '', false], [[off, on], '', true], [[], `--inspect "${on}"`, true], [[off], on, false], [[on], off, true],
    [['-e', `// ${on}`], '', false], [[`${on}s`], '', false]
  ])) assert.equal(hasNetworkInspection(execArgv, options), isOn, `${options} ${execArgv}`)
})
