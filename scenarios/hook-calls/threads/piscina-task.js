'use strict'

const { workerData } = require('piscina')
const { makeHook } = require('./hook')

const hook = makeHook(workerData.hook)

/** @param {string} id */
module.exports = (id) => hook(id)
