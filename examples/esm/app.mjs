// Imports run in order, so loopwatch comes first. With `node --import loopwatch/register app.mjs` you need no import.
import { start } from 'loopwatch'
import { createServer } from 'node:http'

const agent = start({ labels: { service: 'esm-example' } })
const ids = Array.from({ length: 12_000 }, (_, i) => `user-${(i * 7919) % 12_000}`)

/** Blocks: `includes` reads the whole list for every name. */
function unknownNames () {
  let unknown = 0
  for (const id of ids) unknown += ids.includes(`${id}-old`) ? 0 : 1
  return unknown
}

const server = createServer((request, response) => {
  response.end(request.url === '/unknown' ? `${unknownNames()}\n` : 'ok\n')
})
server.listen(process.env.PORT ?? 3000, async () => {
  const { url } = await agent.ready
  console.log(`ask http://127.0.0.1:${server.address().port}/unknown and see ${url}`)
})
