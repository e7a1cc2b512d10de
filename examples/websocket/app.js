'use strict'

require('loopwatch').start({ labels: { service: 'websocket-example' } })

const { WebSocketServer } = require('ws')

/** @param {number} number */
function isPrime (number) {
  // Blocks: while a large number is tested, no other client gets an answer.
  for (let divisor = 2; divisor < number; divisor++) if (number % divisor === 0) return false
  return number > 1
}

const server = new WebSocketServer({ port: Number(process.env.PORT ?? 3000) }, () => {
  console.log(`send 100000007 to ws://127.0.0.1:${server.address().port}/rooms/7`)
})
server.on('connection', (socket) => {
  socket.on('message', (data) => socket.send(`${isPrime(Number(data))}`))
})
