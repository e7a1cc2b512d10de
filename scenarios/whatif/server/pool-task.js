'use strict'

const { applications } = require('./applications')

/** @param {{ name: string, args: any[] }} task */
module.exports = ({ name, args }) => applications[name].run(...args)
