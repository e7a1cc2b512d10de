'use strict'

// A film as an animated PNG: one palette for all frames, and of each frame only what differs from the one before.
const { crc32, deflateSync } = require('node:zlib')

/** @typedef {{ pixels: Uint8Array, ms: number }} Frame `pixels`: red, green, blue and opacity of each pixel */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** PNG's kind of pixel that is a number of the palette. */
const INDEXED = 3
const MOST_COLORS = 255
/** The color that leaves a pixel as it was. */
const UNCHANGED = 0
/** Draw over what is there, and leave it there. */
const [KEEP, OVER] = [0, 1]

/** @param {string} type @param {Buffer} data */
function chunk (type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** 32-bit numbers. @param {number[]} numbers */
function words (...numbers) {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, i * 4)
  return bytes
}

/**
 * The smallest rectangle around all pixels that have changed, null if none has.
 * @param {Uint32Array} now @param {Uint32Array | null} before @param {number} width
 */
function changedArea (now, before, width) {
  if (before === null) return { left: 0, top: 0, right: width - 1, bottom: now.length / width - 1 }
  const area = { left: width, top: Infinity, right: -1, bottom: -1 }
  for (let i = 0; i < now.length; i++) {
    if (now[i] === before[i]) continue
    const [x, y] = [i % width, Math.floor(i / width)]
    area.left = Math.min(area.left, x)
    area.right = Math.max(area.right, x)
    area.top = Math.min(area.top, y)
    area.bottom = y
  }
  return area.bottom === -1 ? null : area
}

/** The most frequent colors, and which of them is nearest to any. @param {Uint32Array[]} images */
function choosePalette (images) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (const image of images) for (const color of image) counts.set(color, (counts.get(color) ?? 0) + 1)
  const palette = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_COLORS).map(([color]) => color)
  const partsOf = (/** @type {number} */ color) => [color & 0xff, (color >> 8) & 0xff, (color >> 16) & 0xff]
  const parts = palette.map(partsOf)
  /** @type {Map<number, number>} */
  const indexes = new Map(palette.map((color, i) => [color, i + 1]))
  const indexOf = (/** @type {number} */ color) => {
    const known = indexes.get(color)
    if (known !== undefined) return known
    const own = partsOf(color)
    const distances = parts.map((part) => part.reduce((sum, value, i) => sum + (value - own[i]) ** 2, 0))
    const index = distances.indexOf(Math.min(...distances)) + 1
    indexes.set(color, index)
    return index
  }
  return { colors: Buffer.from([[0, 0, 0], ...parts].flat()), indexOf }
}

/** @param {number} width @param {number} height @param {Frame[]} frames @returns {Buffer} */
exports.encodeFilm = (width, height, frames) => {
  const images = frames.map(({ pixels }) => new Uint32Array(pixels.buffer, pixels.byteOffset, width * height))
  const { colors, indexOf } = choosePalette(images)
  /** @type {{ area: NonNullable<ReturnType<typeof changedArea>>, data: Buffer, ms: number }[]} */
  const parts = []
  for (const [i, { ms }] of frames.entries()) {
    const before = i === 0 ? null : images[i - 1]
    const area = changedArea(images[i], before, width)
    if (area === null) {
      parts[parts.length - 1].ms += ms
      continue
    }
    const rows = []
    for (let y = area.top; y <= area.bottom; y++) {
      const row = [0]
      for (let at = y * width + area.left; at <= y * width + area.right; at++) {
        row.push(before?.[at] === images[i][at] ? UNCHANGED : indexOf(images[i][at]))
      }
      rows.push(Buffer.from(row))
    }
    parts.push({ area, data: deflateSync(Buffer.concat(rows), { level: 9, memLevel: 9 }), ms })
  }
  let sequence = 0
  const chunks = parts.flatMap(({ area, data, ms }, i) => [
    chunk('fcTL', Buffer.concat([
      words(sequence++, area.right - area.left + 1, area.bottom - area.top + 1, area.left, area.top),
      Buffer.from([ms >> 8, ms & 0xff, 1000 >> 8, 1000 & 0xff, KEEP, OVER])
    ])),
    i === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([words(sequence++), data]))
  ])
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([words(width, height), Buffer.from([8, INDEXED, 0, 0, 0])])),
    chunk('acTL', words(parts.length, 0)),
    chunk('PLTE', colors),
    chunk('tRNS', Buffer.from([UNCHANGED])),
    ...chunks,
    chunk('IEND', Buffer.alloc(0))
  ])
}

/**
 * How long an animated PNG lasts, 0 for a picture that does not move.
 * @param {Buffer} file @returns {number} ms
 */
exports.durationOf = (file) => {
  let ms = 0
  for (let at = SIGNATURE.length; at < file.length;) {
    const length = file.readUInt32BE(at)
    const data = file.subarray(at + 8, at + 8 + length)
    if (file.toString('latin1', at + 4, at + 8) === 'fcTL') ms += 1000 * data.readUInt16BE(20) / data.readUInt16BE(22)
    at += length + 12
  }
  return ms
}
