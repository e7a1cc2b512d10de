'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Tool } = require('../common/tool')

const FOLDER = path.join(__dirname, '..', '..', '..', 'grafana', 'prometheus')

/**
 * The configuration with other intervals, the rest as it is.
 * @param {string} text of prometheus.yml
 * @param {number} intervalS
 */
const withInterval = (text, intervalS) => text.replace(/^( *(?:scrape|evaluation)_interval: ).*$/gm, `$1${intervalS}s`)

/**
 * Starts Prometheus on the files of grafana/prometheus/, with its data in a folder of ours.
 * @param {object} setup
 * @param {string} setup.file the executable
 * @param {string} setup.dir
 * @param {number} setup.port
 * @param {string[]} setup.targets host:port
 * @param {number} setup.intervalS between scrapes, and between evaluations
 */
exports.startPrometheus = ({ file, dir, port, targets, intervalS }) => {
  const config = path.join(dir, 'prometheus.yml')
  fs.writeFileSync(config, withInterval(fs.readFileSync(path.join(FOLDER, 'prometheus.yml'), 'utf8'), intervalS))
  for (const name of ['recording.yml', 'alerts.yml']) fs.copyFileSync(path.join(FOLDER, name), path.join(dir, name))
  // JSON is YAML.
  fs.writeFileSync(path.join(dir, 'targets.yml'), JSON.stringify([{ targets }]))
  return new Tool('Prometheus', file, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    // Block ids in the buckets of their durations.
    '--enable-feature=exemplar-storage'
  ])
}

exports.withInterval = withInterval
