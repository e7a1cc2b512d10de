'use strict'

const http = require('node:http')

/** A server that counts who asks. @param {import('node:test').TestContext} t @param {http.RequestListener} answer */
async function listen (t, answer) {
  let [requests, connections] = [0, 0]
  const server = http.createServer((request, response) => {
    requests++
    answer(request, response)
  }).on('connection', () => connections++)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/`, counts: () => ({ requests, connections }) }
}

exports.listen = listen
