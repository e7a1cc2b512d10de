'use strict'

// An application of the size that servers have: five large packages are loaded, and each request works with one of
// them.
const http = require('node:http')
const { makeWork } = require('./work')

const INTERNAL_ERROR = 500

/** @param {() => void} onAnswer @returns {Promise<import('node:http').Server>} */
exports.makeApp = async (onAnswer) => {
  const work = await makeWork()
  return http.createServer((_, response) => {
    work().then((digest) => response.end(digest), (error) => {
      response.statusCode = INTERNAL_ERROR
      response.end(error.message)
    }).finally(onAnswer)
  })
}
