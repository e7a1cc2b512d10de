'use strict'

const { watchModules } = require('../../http/frameworks/modules')
const { jobs } = require('./jobs')
const { messages } = require('./messages')
const { Naming } = require('./naming')
const { operations } = require('./operations')

/**
 * @typedef {object} Library a file of one, and what is done with its exports
 * @property {string[]} file the end of its name
 * @property {(exports: any, naming: Naming) => void} attach
 */

/**
 * Names the work of libraries that the application has loaded, or will load.
 * @param {import('../works').Works} works
 * @param {(message: object) => void} post to the watchdog
 * @returns {{ stop: () => void }}
 */
exports.startLibraries = (works, post) => {
  const naming = new Naming(works, post)
  const modules = watchModules([...jobs, ...messages, ...operations].map(({ file, attach }) => ({
    file,
    onFound: (/** @type {any} */ exports) => attach(exports, naming)
  })))
  return {
    stop: () => {
      modules.stop()
      naming.stop()
    }
  }
}
