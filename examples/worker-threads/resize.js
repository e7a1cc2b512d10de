'use strict'

const { parentPort } = require('node:worker_threads')

/** Blocks the worker while the main thread keeps serving. @param {{ width: number, height: number }} size */
function brightness ({ width, height }) {
  let sum = 0
  for (let pixel = 0; pixel < width * height; pixel++) sum += Math.sin(pixel) ** 2
  return sum / (width * height)
}

parentPort.on('message', (size) => parentPort.postMessage(brightness(size)))
