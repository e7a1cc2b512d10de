'use strict'

// The film of README: the shop's log and its live page, while one request blocks it. `npm run pictures -- film`
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { makePretty } = require('../../lib/export/log/pretty')
const { encodeFilm } = require('../support/apng')
const { eventually, startNode } = require('../support/app')
const { IMAGES, remember } = require('../support/pictures')

const DEMO = path.join(__dirname, '..', '..', 'scenarios', 'demo')
const NAME = 'block.png'
/** Of the picture, which has more pixels on each side. */
const [WIDTH, SCALE] = [1080, 1.5]
const PAGE_HEIGHT = 500
/** The page's time, in the log's zone. */
const TIME_ZONE = 'UTC'
const LOG = { margin: 14, lineHeight: 19, lines: 12, font: '12.5px "DejaVu Sans Mono", monospace' }
const BAR = { height: 30, font: '12.5px "DejaVu Sans", sans-serif' }
const PAGE_TOP = LOG.margin * 2 + LOG.lines * LOG.lineHeight + BAR.height
const HEIGHT = PAGE_TOP + PAGE_HEIGHT
const FRAME_MS = 250
/** Before the block, and after it. */
const [CALM_MS, AFTER_MS] = [1500, 3500]
const LAST_FRAME_MS = 2000
const HEALTHY_EVERY_MS = 200
/** Long enough to be read while it lasts, and not much longer. */
const BLOCK_MS = { least: 3000, most: 5500 }
const MOST_TAKES = 8
const EARLIER = ['POST /login?password=secret', 'POST /prices', 'GET /customers/17/recommendations', 'DELETE /sessions', 'GET /orders/1042/invoice']
/** Marks a line that is not certain. */
const DOUBT = '≈'
const FUNCTION = 'searchProducts'
const WORD = 'waterproofjacketforchildren'

/** @typedef {{ page: Buffer, lines: number, ms: number }} Shot of the page; so many lines of the log were there */

/** @param {{ after: (end: () => unknown) => void }} t */
async function startShop (t) {
  const { child, out } = startNode(t, ['./shop.js'], { cwd: DEMO, env: { PORT: '0', LOOPWATCH_PORT: '0', TZ: TIME_ZONE } })
  const lines = () => out.stdout.split('\n').slice(0, -1).map((text) => JSON.parse(text))
  const urlOf = (/** @type {string} */ name) => eventually(() => lines().find((line) => line.name === name && line.event === 'listening')?.url,
    () => `${name} to listen: ${out.stdout}${out.stderr}`)
  const [agent, shop] = [await urlOf('loopwatch'), await urlOf('shop')]
  const send = async (/** @type {string} */ request) => {
    const [method, target] = request.split(' ')
    await (await fetch(shop + target, { method })).text()
  }
  // Without it, lines are in doubt.
  await eventually(() => lines().some(({ event }) => event === 'profile_on'), () => `the CPU profile to start: ${out.stdout}`)
  return { child, lines, url: `${agent}/`, send }
}

/** One letter more takes twice as long. @param {number} letters */
const search = (letters) => `GET /search?q=${WORD.slice(0, letters).padEnd(letters, 's')}!`

/**
 * How many letters to search for, so that it takes as long as it should.
 * @param {(request: string) => Promise<void>} send
 */
async function lettersFor (send) {
  let letters = WORD.length - 1
  const start = performance.now()
  await send(search(letters))
  for (let ms = performance.now() - start; ms < BLOCK_MS.least; ms *= 2) letters++
  return letters
}

/** @param {any} browser of playwright-core @param {{ after: (end: () => unknown) => void }} t */
async function shoot (browser, t) {
  const shop = await startShop(t)
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: PAGE_HEIGHT }, deviceScaleFactor: SCALE, colorScheme: 'dark', locale: 'en-GB', timezoneId: TIME_ZONE
  })
  await page.goto(shop.url)
  const letters = await lettersFor(shop.send)
  for (const request of EARLIER) {
    await shop.send(request)
    await sleep(1000)
  }
  const healthy = setInterval(() => shop.send('GET /products').catch(() => {}), HEALTHY_EVERY_MS)
  t.after(() => clearInterval(healthy))
  await sleep(2000)
  const earlier = shop.lines().length
  /** @type {Shot[]} */
  const shots = []
  const start = performance.now()
  let [beginMs, endMs] = [Infinity, Infinity]
  for (let now = 0; now < endMs + AFTER_MS; now = performance.now() - start) {
    if (now > CALM_MS && beginMs === Infinity) {
      beginMs = now
      shop.send(search(letters)).then(() => { endMs = performance.now() - start }, () => { endMs = now })
    }
    const lines = shop.lines().length - earlier
    shots.push({ page: await page.screenshot(), lines, ms: now })
    await sleep(Math.max(0, now + FRAME_MS - (performance.now() - start)))
  }
  const [log, first] = [shop.lines().slice(earlier), shop.lines().find(({ name, event }) => name === 'loopwatch' && event === 'listening')]
  const places = await page.locator('#culprits-body').textContent()
  clearInterval(healthy)
  shop.child.kill('SIGTERM')
  await page.close()
  return { url: shop.url, first, shots, log, places, blockMs: endMs - beginMs }
}

/** Runs in the browser: the log above the page. @param {any} scene */
async function draw ({ page, text, url, WIDTH, HEIGHT, SCALE, LOG, BAR, PAGE_TOP }) {
  const { document, Image, btoa } = /** @type {any} */ (globalThis)
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: WIDTH * SCALE, height: HEIGHT * SCALE })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context.scale(SCALE, SCALE)
  const fill = (/** @type {string} */ color, /** @type {number} */ top, /** @type {number} */ height) => {
    context.fillStyle = color
    context.fillRect(0, top, WIDTH, height)
  }
  /** @param {string} part @param {string} color @param {number} x @param {number} y */
  const write = (part, color, x, y) => {
    context.fillStyle = color
    context.fillText(part, x, y)
    return x + context.measureText(part).width
  }
  fill('#000', 0, HEIGHT)
  fill('#30363d', PAGE_TOP - BAR.height, BAR.height)
  context.textBaseline = 'middle'
  context.font = BAR.font
  write(url, '#c9d1d9', LOG.margin, PAGE_TOP - BAR.height / 2)
  context.font = LOG.font
  for (const [i, line] of text.entries()) {
    const [, time = '', level = '', rest = line] = /^(\[.*?\] )((?:WARN|INFO) +)(.*)$/.exec(line) ?? []
    const y = LOG.margin + (i + 0.5) * LOG.lineHeight
    const x = write(level, level.startsWith('WARN') ? '#e3b341' : '#3fb950', write(time, '#8b949e', LOG.margin, y), y)
    write(rest, line.startsWith(' ') ? '#8b949e' : '#f0f6fc', x, y)
  }
  const image = new Image()
  image.src = `data:image/png;base64,${page}`
  await image.decode()
  context.drawImage(image, 0, PAGE_TOP, WIDTH, HEIGHT - PAGE_TOP)
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
  const parts = []
  // As many characters as a call takes arguments.
  for (let i = 0; i < data.length; i += 0x8000) parts.push(String.fromCharCode(...data.subarray(i, i + 0x8000)))
  return btoa(parts.join(''))
}

/** @typedef {Awaited<ReturnType<typeof shoot>>} Take */

/** @param {any} browser @param {Take} take @returns {Promise<Buffer>} */
async function develop (browser, { url, first, shots, log }) {
  const pretty = makePretty({ hasColors: false, cwd: DEMO })
  const printed = (/** @type {any[]} */ lines) => lines.flatMap((line) => pretty(JSON.stringify(line)).trimEnd().split('\n'))
  const studio = await browser.newPage()
  const frames = []
  for (const [i, { page, lines, ms }] of shots.entries()) {
    const text = ['$ node shop.js', ...printed([first]), '...', ...printed(log.slice(0, lines))]
    const scene = { page: page.toString('base64'), text, url, WIDTH, HEIGHT, SCALE, LOG, BAR, PAGE_TOP }
    const pixels = new Uint8Array(Buffer.from(await studio.evaluate(draw, scene), 'base64'))
    frames.push({ pixels, ms: Math.round((shots[i + 1]?.ms ?? ms + LAST_FRAME_MS) - ms) })
  }
  await studio.close()
  return encodeFilm(WIDTH * SCALE, HEIGHT * SCALE, frames)
}

/** Whether the block is what the film should show, without doubts or anything in between. @param {Take} take */
const isGood = ({ log, places, blockMs }) => blockMs > BLOCK_MS.least / 2 && blockMs < BLOCK_MS.most &&
  log.every(({ event, frame, cause, msg }) => cause === 'js' && frame?.function === FUNCTION && (event === 'opened' || !msg.includes(DOUBT))) &&
  log.at(-1)?.event === 'settled' && !places.includes(`${DOUBT} ${FUNCTION}`)

/** @param {any} browser of playwright-core @param {{ after: (end: () => unknown) => void }} t */
exports.takeFilm = async (browser, t) => {
  for (let i = 0; i < MOST_TAKES; i++) {
    const take = await shoot(browser, t)
    if (!isGood(take)) continue
    fs.writeFileSync(path.join(IMAGES, NAME), await develop(browser, take))
    return remember(NAME)
  }
  throw new Error(`in ${MOST_TAKES} takes, the machine was too busy for a block of cause js`)
}
