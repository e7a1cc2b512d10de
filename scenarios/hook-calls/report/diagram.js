'use strict'

// One diagram of each implementation: who calls whom. Colours are the page's, so that they print and darken.
const [WIDTH, HEIGHT, BOX] = [720, 150, 34]

/** @param {number} x @param {number} y @param {number} width @param {string} text */
const box = (x, y, width, text) => `<rect x="${x}" y="${y}" width="${width}" height="${BOX}" rx="4" fill="none" stroke="currentColor"/>` +
  `<text x="${x + width / 2}" y="${y + 21}" text-anchor="middle" fill="currentColor">${text}</text>`

/** @param {number} x @param {number} y @param {number} toX @param {number} toY */
const arrow = (x, y, toX, toY) => `<path d="M${x} ${y}L${toX} ${toY}" stroke="currentColor" fill="none"/><circle cx="${toX}" cy="${toY}" r="3" fill="currentColor"/>`
/** @param {number} x @param {number} y @param {string} text */
const note = (x, y, text) => `<text x="${x}" y="${y}" text-anchor="middle" fill="currentColor" font-style="italic">${text}</text>`

/** @param {string} title @param {string[]} parts */
const svg = (title, parts) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" font-family="sans-serif" font-size="12">` +
  `<text x="0" y="14" fill="currentColor" font-weight="bold">${title}</text>${parts.join('')}</svg>`

const rust = box(0, 58, 110, 'Rust: calls')
const WORKER_YS = [28, 70, 112]
const workers = WORKER_YS.map((y, i) => arrow(410, 75, 560, y + 17) + box(560, y, 150, `worker ${i + 1}: hook`)).join('')

/** @param {string} title @param {string} middle @param {string} text above it: how a call goes on */
const calls = (title, middle, text) =>
  svg(title, [rust, arrow(110, 75, 200, 75), box(200, 58, 210, middle), note(305, 50, text), workers])
/** @param {string} title @param {string} queue @param {string} text */
const direct = (title, queue, text) => calls(title, queue, text).replace('</svg>', `${box(200, 112, 210, 'main thread: idle')}</svg>`)

/** @type {Record<string, string>} */
exports.byVariant = {
  main: svg('main: the hook runs on the main thread', [rust, arrow(110, 75, 200, 75), box(200, 58, 210, 'main thread: hook'), note(305, 50, 'one wake-up, then call after call')]),
  'indirect-race': calls('indirect-race: all waiting calls race for each worker', 'main thread: waiting calls race', 'postMessage'),
  'indirect-fifo': calls('indirect-fifo: the main thread passes calls on from a queue', 'main thread: free list, queue', 'postMessage'),
  'indirect-piscina': calls('indirect-piscina: the main thread passes calls on through piscina', 'main thread: piscina', 'postMessage'),
  direct: direct('direct: Rust hands each call to a free worker, which then takes the next one itself', 'Rust: free list, queue', 'one call in flight per worker'),
  'direct-by-turn': direct('direct-by-turn: each call is a turn of the worker\'s event loop', 'Rust: free list, queue', 'one wake-up per call'),
  'direct-batch': direct('direct-batch: up to 16 calls go to a worker as one', 'Rust: free list, queue', 'up to 16 ids in one call'),
  'direct-depth': direct('direct-depth: up to 4 calls are in flight to a worker', 'Rust: free list, queue', 'up to 4 calls per worker'),
  'direct-channel': direct('direct-channel: a channel of free workers, as in Rolldown', 'Rust: channel of free workers', 'one call and wake-up per worker'),
  'direct-least-loaded': direct('direct-least-loaded: each call goes to the worker with the fewest in flight', 'Rust: fewest in flight, queue', 'up to 4 calls per worker'),
  'direct-async': direct('direct-async: a pending promise does not occupy its worker', 'Rust: free list, promises', 'one running call per worker')
}
exports.diagrams = Object.values(exports.byVariant)
