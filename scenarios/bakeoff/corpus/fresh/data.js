'use strict'

// Rows and objects: checked, resolved, decoded, read from a database, formatted, filtered. `here:` as in ../blocks.js.
const { drizzle } = require('drizzle-orm/sql-js')
const { integer, real, sqliteTable, text } = require('drizzle-orm/sqlite-core')
const { buildSchema, graphqlSync } = require('graphql')
const { DateTime } = require('luxon')
const micromatch = require('micromatch')
const protobuf = require('protobufjs')
const initSqlJs = require('sql.js')
const { z } = require('zod')
const { openDatabases } = require('./databases')

const CUSTOMERS = 240000
const ORDERS = 14000
const READINGS = 1100000
const DATES = 1600
const DAY_MS = 86400000
const PATHS = 120000
const STORED = 80000

const customers = Array.from({ length: CUSTOMERS }, (_, id) => ({
  id,
  name: `name ${id}`,
  mail: `user${id}@example.org`,
  tags: ['x', 'y'],
  address: { city: `city ${id % 97}`, zip: `${10000 + id % 89999}` }
}))
const customerList = z.array(z.object({
  id: z.number().int(),
  name: z.string().min(1),
  mail: z.string().includes('@'),
  tags: z.array(z.enum(['x', 'y'])),
  address: z.object({ city: z.string(), zip: z.string().regex(/^\d{5}$/) })
}))

const schema = buildSchema(`
  type Query { orders: [Order] }
  type Order { id: Int customer: Customer lines: [Line] total: Float }
  type Customer { id: Int name: String }
  type Line { sku: String count: Int }`)
class Order {
  /** @param {number} id */
  constructor (id) {
    this.id = id
    this.customer = { id, name: `name ${id}` }
    this.lines = [{ sku: 'a', count: 1 }, { sku: 'b', count: id % 7 }]
  }

  total () { // here: graphqlReport
    return this.lines.reduce((sum, { count }) => sum + count, 0) // here: graphqlReport
  }
}
const rootValue = { orders: Array.from({ length: ORDERS }, (_, i) => new Order(i)) }

const Readings = protobuf.parse(`
  syntax = "proto3";
  message Readings { repeated Reading readings = 1; }
  message Reading { uint32 sensor = 1; double value = 2; string unit = 3; }`).root.lookupType('Readings')
const readings = Array.from({ length: READINGS }, (_, i) => ({ sensor: i, value: i / 7, unit: 'kWh' }))
const packet = Readings.encode(Readings.create({ readings })).finish()

const invoices = sqliteTable('invoices', {
  id: integer('id').primaryKey(),
  customer: text('customer'),
  paid: integer('paid', { mode: 'boolean' }),
  at: integer('at', { mode: 'timestamp' }),
  amount: real('amount')
})
const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${STORED})
  INSERT INTO invoices SELECT i, 'name ' || i, i % 2, i, i / 7.0 FROM n`
/** @type {any} */
let orm = null

const databases = openDatabases()

const deliveries = Array.from({ length: DATES }, (_, i) => new Date(i * DAY_MS).toISOString())
const paths = Array.from({ length: PATHS }, (_, i) =>
  `packages/module-${i % 97}/src/${i % 2 === 0 ? 'lib' : 'test'}/file-${i}.${i % 3 === 0 ? 'ts' : 'js'}`)

/** Makes the asynchronous data, before the first request. */
exports.prepare = async () => {
  const SQL = await initSqlJs()
  const database = new SQL.Database()
  database.run('CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer TEXT, paid INTEGER, at INTEGER, amount REAL)')
  database.run(FILL)
  orm = drizzle(database)
}

exports.blocks = {
  zodParse () {
    return customerList.parse(customers).length // here: zodParse
  },
  graphqlReport () {
    const source = '{ orders { id total customer { id name } lines { sku count } } }'
    const { data, errors } = graphqlSync({ schema, source, rootValue }) // here: graphqlReport
    if (errors !== undefined) throw errors[0]
    return data
  },
  protobufDecode () {
    const decoded = Readings.decode(packet) // here: protobufDecode
    return Object.keys(decoded).length
  },
  ormSelect () {
    const rows = orm.select().from(invoices).all() // here: ormSelect
    return rows.length
  },
  sqliteAll () {
    return databases?.sqlite.prepare('SELECT * FROM orders WHERE id % 10 < 8').all() // here: sqliteAll
  },
  betterSqliteAll () {
    const report = 'SELECT customer, sum(amount) AS total FROM orders GROUP BY customer ORDER BY total'
    const rows = databases?.betterSqlite.prepare(report).all() // here: betterSqliteAll
    return rows?.length
  },
  dueDates () {
    return deliveries.map(function dueDate (at) { // here: dueDates
      const due = DateTime.fromISO(at, { zone: 'Europe/Berlin' }).plus({ months: 1 }).endOf('day') // here: dueDates
      return due.toFormat('dd LLL yyyy HH:mm') // here: dueDates
    })
  },
  globMatch () {
    const sources = micromatch(paths, ['packages/*/src/**/*.{js,ts}', '!**/test/**']) // here: globMatch
    return sources.length
  }
}
