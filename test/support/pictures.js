'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { gunzipSync } = require('node:zlib')

const ROOT = path.join(__dirname, '..', '..')
const IMAGES = path.join(ROOT, '.github', 'images')
/** The digest of what each picture shows, as it was when the picture was taken. */
const TAKEN = path.join(IMAGES, 'taken.json')
/** What a page looks like and calls things, not the script that fills it. */
const PAGE = ['lib/export/page/index.html.gz', 'lib/export/page/page.css.gz', 'lib/tables/causes.js']

/** The files of the repository that a picture shows. Those of scenarios show reports of runs with a date. */
const shown = /** @type {Record<string, string[]>} */ ({
  'block.png': PAGE,
  'page-dark.png': PAGE,
  'page-light.png': PAGE,
  'page-narrow.png': PAGE,
  'dashboard-overview.png': ['grafana/dashboards/overview.json'],
  'dashboard-blocks.png': ['grafana/dashboards/blocks.json'],
  'dashboard-cluster.png': ['grafana/dashboards/cluster.json'],
  'dashboard-scenarios.png': ['grafana/scenarios/scenarios.json']
})

/** The values of a table: comments show in no picture. @param {string} file */
function contentOf (file) {
  const absolute = path.join(ROOT, file)
  if (file.endsWith('.js')) return JSON.stringify(require(absolute))
  const bytes = fs.readFileSync(absolute)
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** @param {string} name of a picture */
const digestOf = (name) => shown[name]
  .reduce((hash, file) => hash.update(`\0${file}\0`).update(contentOf(file)), createHash('sha256')).digest('hex')

/** @returns {Record<string, string>} by picture */
const taken = () => fs.existsSync(TAKEN) ? JSON.parse(fs.readFileSync(TAKEN, 'utf8')) : {}

/** Writes down that a picture shows what there is now. @param {string} name */
exports.remember = (name) => {
  fs.writeFileSync(TAKEN, `${JSON.stringify({ ...taken(), [name]: digestOf(name) }, null, 2)}\n`)
}

exports.IMAGES = IMAGES
exports.digestOf = digestOf
exports.shown = shown
exports.taken = taken
