'use strict'

// Blocks inside libraries from npm, each called until the time is up. The application's line is the one
// that calls the library. `here:` as in blocks.js.
const { TraceMap, eachMapping } = require('@jridgewell/trace-mapping')
const { Ajv } = require('ajv')
const { Eta } = require('eta')
const { build } = require('hdr-histogram-js')
const { map, range, reduce } = require('rxjs')
const yaml = require('yaml')

const eta = new Eta()
const template = Array.from({ length: 400 }, (_, i) => `<% for (const each of it.rows${i}) { %><td><%= each.name %></td><% } %>`).join('\n')
const schema = { type: 'object', properties: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field${i}`, { type: 'object', properties: { a: { type: 'string', minLength: i }, b: { enum: [-1, -2, i] } }, required: ['a'] }])) }
const document = Array.from({ length: 300 }, (_, i) => `- id: ${i}\n  tags: [a, b, "c ${i}"]\n  nested:\n    value: ${i / 7}\n`).join('')
const mappings = JSON.stringify({ version: 3, sources: ['a.js'], names: [], mappings: 'AAAA,CACA;'.repeat(20000) })
const histogram = build()
for (let i = 1; i < 10000; i++) histogram.recordValue(i * 37)

exports.blocks = {
  ajvCompile (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) new Ajv().compile({ ...schema }) // here: ajvCompile
  },
  yamlParse (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) yaml.parse(document) // here: yamlParse
  },
  rxjsReduce (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) range(0, 20000).pipe(map(square), reduce(add)).subscribe() // here: rxjsReduce
  },
  templateCompile (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) eta.compile(template) // here: templateCompile
  },
  sourceMap (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) eachMapping(new TraceMap(mappings), square) // here: sourceMap
  },
  histogramPercentiles (/** @type {number} */ ms) {
    const end = performance.now() + ms
    while (performance.now() < end) histogram.outputPercentileDistribution() // here: histogramPercentiles
  }
}

/** @param {any} x */
const square = (x) => x * x // here: rxjsReduce sourceMap
/** @param {number} a @param {number} b */
const add = (a, b) => a + b // here: rxjsReduce
