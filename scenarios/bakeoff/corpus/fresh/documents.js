'use strict'

// Texts that a library reads or writes whole, as exports, imports and previews do. `here:` as in ../blocks.js.
const { diffWords } = require('diff')
const { XMLParser } = require('fast-xml-parser')
const yaml = require('js-yaml')
const { marked } = require('marked')
const Papa = require('papaparse')

const ARTICLES = 1800
const PRODUCTS = 5000
const CSV_ROWS = 220000
const RESOURCES = 25000
const SENTENCES = 5500

const article = Array.from({ length: ARTICLES }, (_, i) => [
  `## Release ${i}`,
  `Some *emphasis*, a [link](https://example.org/${i}) and \`code ${i}\`.`,
  '- one\n- two\n  - three',
  '| a | b |\n|---|---|\n| 1 | 2 |'
].join('\n\n')).join('\n\n')
const products = Array.from({ length: PRODUCTS }, (_, i) =>
  `<product id="${i}"><name>Product ${i}</name><price of="1">${i / 7}</price><tag>x</tag><tag>y</tag></product>`)
const feed = `<feed>${products.join('')}</feed>`
const csvRows = Array.from({ length: CSV_ROWS }, (_, i) => `${i},"name, ${i}",city ${i % 97},${i / 7}`)
const upload = ['id,name,city,amount', ...csvRows].join('\n')
const manifest = Array.from({ length: RESOURCES }, (_, i) =>
  `- kind: Service\n  name: service-${i}\n  ports: [80, ${i}]\n  labels:\n    tier: "t ${i % 3}"\n`).join('')
const sentences = (/** @type {(i: number) => number} */ divisorOf) =>
  Array.from({ length: SENTENCES }, (_, i) => `Sentence ${i * 7919 % divisorOf(i)} of the text.`).join(' ')
const before = sentences(() => 1009)
const after = sentences((i) => i % 9 === 0 ? 1013 : 1009)

exports.blocks = {
  markdownRender () {
    const html = marked.parse(article) // here: markdownRender
    return html.length
  },
  xmlParse () {
    const parser = new XMLParser({ ignoreAttributes: false })
    const { feed: { product } } = parser.parse(feed) // here: xmlParse
    return product.length
  },
  csvParse () {
    const { data, errors } = Papa.parse(upload, { header: true }) // here: csvParse
    if (errors.length > 0) throw new Error(errors[0].message)
    return data.length
  },
  yamlLoad () {
    return yaml.load(manifest) // here: yamlLoad
  },
  textDiff () {
    const changes = diffWords(before, after) // here: textDiff
    return changes.filter((/** @type {{ added?: boolean }} */ { added }) => added).length
  }
}
