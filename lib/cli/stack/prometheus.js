'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Tool } = require('../common/tool')

const FOLDER = path.join(__dirname, '..', '..', '..', 'grafana', 'prometheus')

/** @param {string} text of prometheus.yml @param {number} intervalS */
const withInterval = (text, intervalS) => text.replace(/^( *(?:scrape|evaluation)_interval: ).*$/gm, `$1${intervalS}s`)

/**
 * Uses the files of grafana/prometheus/. Its data is in a folder of ours.
 * @param {{ file: string, dir: string, port: number, targets: string[], intervalS: number }} setup
 *   file: the executable; targets: host:port; intervalS: between scrapes, and between evaluations
 */
exports.startPrometheus = ({ file, dir, port, targets, intervalS }) => {
  const config = path.join(dir, 'prometheus.yml')
  fs.writeFileSync(config, withInterval(fs.readFileSync(path.join(FOLDER, 'prometheus.yml'), 'utf8'), intervalS))
  for (const name of ['recording.yml', 'alerts.yml']) fs.copyFileSync(path.join(FOLDER, name), path.join(dir, name))
  // Any JSON is also YAML.
  fs.writeFileSync(path.join(dir, 'targets.yml'), JSON.stringify([{ targets }]))
  return new Tool('Prometheus', file, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    // For the ids of blocks in the buckets of their durations.
    '--enable-feature=exemplar-storage'
  ])
}

exports.withInterval = withInterval
