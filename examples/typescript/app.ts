import { start } from 'loopwatch'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Order { id: number, customer: number, total: number }

const agent = start({ labels: { service: 'typescript-example' } })
agent.on('block', ({ durationMs, cause, frame }) => {
  console.error(`${cause} for ${durationMs.toFixed()} ms in line ${frame?.line} of the source`)
})

const orders: Order[] = Array.from({ length: 4000 }, (_, id) => ({ id, customer: id % 3000, total: id }))

/** Blocks: two nested loops over the same list. */
function totals (): number[] {
  const sums: number[] = []
  for (const order of orders) {
    let sum = 0
    for (const other of orders) sum += other.customer === order.customer ? Math.hypot(other.total, order.id) : 0
    sums.push(sum)
  }
  return sums
}

const server = createServer((request, response) => {
  response.end(request.url === '/totals' ? JSON.stringify(totals()) : 'ok\n')
})
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`ask http://127.0.0.1:${(server.address() as AddressInfo).port}/totals`)
})
