'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { htmlReport, htmlTable } = require('../common/html-report')
const { cpuTree } = require('./cpu-tree')
const { MS_PER_S } = require('../../util/units')

const HOT = 25

/** profile.html of profile.cpuprofile, if there is one. @param {string} output folder @param {string} command */
exports.writeCpuReport = (output, command) => {
  const file = path.join(output, 'profile.cpuprofile')
  if (!fs.existsSync(file)) return
  const { tree, hot, durationMs } = cpuTree(JSON.parse(fs.readFileSync(file, 'utf8')))
  const rows = hot.slice(0, HOT).map(({ name, place, selfMs }) =>
    [{ figure: `${selfMs.toFixed(0)} ms` }, { figure: `${(selfMs / Math.max(tree.value, 1) * 100).toFixed(1)} %` }, name, place])
  fs.writeFileSync(path.join(output, 'profile.html'), htmlReport({
    title: `CPU profile of ${command}`,
    summary: `${(durationMs / MS_PER_S).toFixed(1)} s, of which the main thread worked ${(tree.value / MS_PER_S).toFixed(1)} s; node ${process.versions.node}; profile.cpuprofile opens in Chrome DevTools and VS Code`,
    flameTitle: 'Where the time went; lines are those where functions begin',
    tree,
    tail: `<section><h2>Functions by their own time</h2>${htmlTable(['own time', 'share', 'function', 'begins at'], rows)}</section>`
  }))
}
