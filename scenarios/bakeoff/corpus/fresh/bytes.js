'use strict'

// Bytes: compressed, decoded into pixels, hashed. `here:` as in ../blocks.js.
const { brotliCompressSync } = require('node:zlib')
const bcrypt = require('bcryptjs')
const { zipSync } = require('fflate')
const jpeg = require('jpeg-js')
const { PNG } = require('pngjs')

const HASH_ROUNDS = 11
const PNG_SIDE = 1700
const JPEG_SIDE = 1200
const JPEG_QUALITY = 80
const RGBA_BYTES = 4
const PAGE_WORDS = 14000
const FILE_BYTES = 1.3e6

/** Neither all the same nor noise. @param {number} length */
function pattern (length) {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = (i * i >>> 7) + i % 251
  return bytes
}

const page = Array.from({ length: PAGE_WORDS }, (_, i) => `<td>${i * i * 7919 % 100003}</td>`).join('')
const files = { 'a.bin': pattern(FILE_BYTES), 'b.bin': pattern(FILE_BYTES) }
const picture = new PNG({ width: PNG_SIDE, height: PNG_SIDE })
picture.data = pattern(PNG_SIDE * PNG_SIDE * RGBA_BYTES)
const png = PNG.sync.write(picture)
const pixels = { width: JPEG_SIDE, height: JPEG_SIDE, data: pattern(JPEG_SIDE * JPEG_SIDE * RGBA_BYTES) }
const photo = jpeg.encode(pixels, JPEG_QUALITY).data

exports.blocks = {
  brotliPage () {
    return brotliCompressSync(page) // here: brotliPage
  },
  fflateZip () {
    const archive = zipSync(files, { level: 6 }) // here: fflateZip
    return archive.length
  },
  pngRead () {
    const { width, height, data } = PNG.sync.read(png) // here: pngRead
    return data.length / width / height
  },
  jpegDecode () {
    const image = jpeg.decode(photo) // here: jpegDecode
    return image.width
  },
  bcryptHash () {
    return bcrypt.hashSync('correct horse battery staple', HASH_ROUNDS) // here: bcryptHash
  }
}
