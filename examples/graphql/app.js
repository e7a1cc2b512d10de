'use strict'

require('loopwatch').start({ labels: { service: 'graphql-example' } })

const http = require('node:http')
const { buildSchema, graphql } = require('graphql')

const schema = buildSchema('type Query { path(cities: Int!): Float }')

/** @param {{ cities: number }} args */
function shortestPath ({ cities }) {
  let shortest = Infinity
  // Blocks: the resolver tries every pair of pairs.
  for (let i = 0; i < cities ** 4; i++) shortest = Math.min(shortest, Math.hypot(i % cities, i % 7))
  return shortest
}

const server = http.createServer(async (request, response) => {
  const { searchParams } = new URL(/** @type {string} */ (request.url), 'http://localhost')
  const result = await graphql({ schema, source: searchParams.get('query') ?? '', rootValue: { path: shortestPath } })
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(result))
})

server.listen(process.env.PORT ?? 3000, () => {
  const query = encodeURIComponent('query Trip { path(cities: 60) }')
  console.log(`ask http://127.0.0.1:${server.address().port}/graphql?query=${query}`)
})
