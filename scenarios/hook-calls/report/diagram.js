'use strict'

// One diagram of each implementation: who calls whom. Colours are the page's, so that they print and darken.
const [WIDTH, HEIGHT, BOX] = [720, 150, 34]

/** @param {number} x @param {number} y @param {number} width @param {string} text */
const box = (x, y, width, text) => `<rect x="${x}" y="${y}" width="${width}" height="${BOX}" rx="4" fill="none" stroke="currentColor"/>` +
  `<text x="${x + width / 2}" y="${y + 21}" text-anchor="middle" fill="currentColor">${text}</text>`

/** @param {number} x @param {number} y @param {number} toX @param {number} toY @param {string} [text] */
const arrow = (x, y, toX, toY, text = '') => `<path d="M${x} ${y}L${toX} ${toY}" stroke="currentColor" fill="none"/><circle cx="${toX}" cy="${toY}" r="3" fill="currentColor"/>` +
  `<text x="${(x + toX) / 2}" y="${Math.min(y, toY) - 6}" text-anchor="middle" fill="currentColor">${text}</text>`

/** @param {string} title @param {string[]} parts */
const svg = (title, parts) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" font-family="sans-serif" font-size="12">` +
  `<text x="0" y="14" fill="currentColor" font-weight="bold">${title}</text>${parts.join('')}</svg>`

const rust = box(0, 58, 110, 'Rust: calls')
const WORKER_YS = [28, 70, 112]
/** @param {number} fromX @param {string} text */
const workers = (fromX, text) => WORKER_YS.map((y, i) => arrow(fromX, 75, 560, y + 17, i === 0 ? text : '') + box(560, y, 150, `worker ${i + 1}: hook`)).join('')

/** @param {string} title @param {string} queue @param {string} text */
const direct = (title, queue, text) => svg(title, [rust, arrow(110, 75, 200, 75), box(200, 58, 210, queue), workers(410, text), box(200, 112, 210, 'main thread: idle')])

/** @type {Record<string, string>} */
exports.byVariant = {
  main: svg('main: the hook on the main thread', [rust, arrow(110, 75, 300, 75, 'wake, then one after the other'), box(300, 58, 200, 'main thread: hook')]),
  'indirect-race': svg('indirect-race: the main thread passes calls on, all that wait race for each worker', [rust, arrow(110, 75, 200, 75), box(200, 58, 210, 'main thread: all waiting, racing'), workers(410, 'postMessage')]),
  'indirect-fifo': svg('indirect-fifo: the main thread passes calls on from a queue', [rust, arrow(110, 75, 200, 75), box(200, 58, 210, 'main thread: free list, queue'), workers(410, 'postMessage')]),
  'indirect-piscina': svg('indirect-piscina: the main thread passes calls on through piscina', [rust, arrow(110, 75, 200, 75), box(200, 58, 210, 'main thread: piscina'), workers(410, 'postMessage')]),
  direct: direct('direct: Rust hands each call to a free worker, which takes the next one itself', 'Rust: free list, queue', 'one call in flight each'),
  'direct-by-turn': direct('direct-by-turn: each call is a turn of the worker\'s event loop', 'Rust: free list, queue', 'a wake-up for each call'),
  'direct-batch': direct('direct-batch: up to 16 calls go to a worker as one', 'Rust: free list, queue', 'up to 16 ids in one call'),
  'direct-depth': direct('direct-depth: up to four calls are on their way to a worker at once', 'Rust: free list, queue', 'up to 4 calls in flight each'),
  'direct-channel': direct('direct-channel: as Rolldown\'s parallel plugins: free workers in a channel, taken in turn', 'Rust: channel of free workers', 'one call, a wake-up for each'),
  'direct-least-loaded': direct('direct-least-loaded: each call goes to the worker with the fewest in flight', 'Rust: fewest in flight, queue', 'up to 4 calls in flight each'),
  'direct-async': direct('direct-async: a hook that answers later gives its permit back at once', 'Rust: free list, queue, promises', 'one call that has not returned')
}
exports.diagrams = Object.values(exports.byVariant)
