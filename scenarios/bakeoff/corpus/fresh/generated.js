'use strict'

// Code that is text until it runs: the application's line is the one that runs it. `here:` as in ../blocks.js.
const vm = require('node:vm')
const ejs = require('ejs')
const Handlebars = require('handlebars')

const INVOICES = 64000
const ORDERS = 120000

/** @param {number} length */
const makeRows = (length) => Array.from({ length }, (_, id) => ({
  id,
  name: `<name ${id}>`,
  isPaid: id % 2 === 0,
  lines: [{ sku: 'a' }, { sku: 'b' }]
}))
const [invoices, orders] = [makeRows(INVOICES), makeRows(ORDERS)]
const invoiceList = Handlebars.compile(`<table>{{#each rows}}
  <tr class="{{#if isPaid}}paid{{/if}}"><td>{{id}}</td><td>{{name}}</td>{{#each lines}}<td>{{sku}}</td>{{/each}}</tr>
{{/each}}</table>`)
const orderList = ejs.compile(`<table><% for (const row of rows) { %>
  <tr><td><%= row.id %></td><td><%= row.name %></td>
  <% for (const { sku } of row.lines) { %><td><%= sku %></td><% } %></tr>
<% } %></table>`)
// What a rule engine makes of a customer's formula.
// eslint-disable-next-line no-new-func
const formula = new Function('ms', `let total = 0
const end = performance.now() + ms
while (performance.now() < end) for (let i = 0; i < 1000; i++) total += Math.sqrt(i)
return total`)
const sandbox = vm.createContext({ now: () => performance.now(), ms: 0, total: 0 })
const script = 'for (const end = now() + ms; now() < end;) for (let i = 0; i < 1000; i++) total += i % 7'

exports.blocks = {
  handlebarsRender () {
    const html = invoiceList({ rows: invoices }) // here: handlebarsRender
    return html.length
  },
  ejsRender () {
    const html = orderList({ rows: orders }) // here: ejsRender
    return html.length
  },
  newFunction (/** @type {number} */ ms) {
    const total = formula(ms) // here: newFunction
    return Math.round(total)
  },
  vmScript (/** @type {number} */ ms) {
    sandbox.ms = ms
    vm.runInContext(script, sandbox) // here: vmScript
    return sandbox.total
  }
}
