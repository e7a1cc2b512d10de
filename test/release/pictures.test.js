'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { durationOf, encodeFilm } = require('../support/apng')
const { startBrowser } = require('../support/browser')
const { digestOf, IMAGES, shown, taken } = require('../support/pictures')

/** Reports of runs with a date. */
const DATED = /^scenario-/
const FILM = { name: 'block.png', bytes: 1e6, leastMs: 8000, mostMs: 14_000 }
/** Browsers decode films for sites with https only. */
const SITE = 'https://film.invalid/'

test('no picture is older than the page or the dashboard that it shows', () => {
  const pictures = fs.readdirSync(IMAGES).filter((file) => file.endsWith('.png') && !DATED.test(file))
  assert.deepEqual(pictures.sort(), Object.keys(shown).sort())
  const digests = taken()
  assert.deepEqual(pictures.filter((name) => digests[name] !== digestOf(name)), [], 'take them again: npm run pictures')
})

test('the film of README is short and small', () => {
  const file = fs.readFileSync(path.join(IMAGES, FILM.name))
  const ms = durationOf(file)
  assert.ok(ms > FILM.leastMs && ms < FILM.mostMs, `${ms} ms`)
  assert.ok(file.length <= FILM.bytes, `${file.length} bytes`)
})

/** Runs in the browser: each frame of a film, with how long it is shown. @param {string} film */
async function decode (film) {
  const { ImageDecoder, OffscreenCanvas, Uint8Array, atob } = /** @type {any} */ (globalThis)
  const data = Uint8Array.from(atob(film), (/** @type {string} */ byte) => byte.charCodeAt(0))
  const decoder = new ImageDecoder({ data, type: 'image/png' })
  await decoder.tracks.ready
  const frames = []
  for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex })
    const context = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext('2d')
    context.drawImage(image, 0, 0)
    const { data: pixels } = context.getImageData(0, 0, image.displayWidth, image.displayHeight)
    frames.push({ pixels: [...pixels], ms: image.duration / 1000 })
  }
  return frames
}

test('a browser sees a film as it was taken', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const page = await browser.newPage()
  await page.route(SITE, (/** @type {any} */ route) => route.fulfill({ body: '' }))
  await page.goto(SITE)
  const colors = [[255, 0, 0, 255], [0, 255, 0, 255], [10, 20, 30, 255]]
  /** @param {number[]} indexes @param {number} ms */
  const frameOf = (indexes, ms) => ({ pixels: Uint8Array.from(indexes.flatMap((i) => colors[i])), ms })
  const frames = [
    frameOf([0, 0, 0, 0, 0, 0], 100),
    frameOf([0, 0, 0, 0, 1, 0], 250),
    frameOf([2, 0, 0, 0, 1, 2], 300),
    frameOf([0, 0, 0, 0, 0, 0], 50)
  ]
  const film = encodeFilm(3, 2, [...frames, frames[3]])
  assert.equal(durationOf(film), 750)
  const seen = await page.evaluate(decode, film.toString('base64'))
  const expected = [...frames.slice(0, 3), { ...frames[3], ms: 100 }]
  assert.deepEqual(seen, expected.map(({ pixels, ms }) => ({ pixels: [...pixels], ms })))
})
