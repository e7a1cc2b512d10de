'use strict'

// Writes prometheus-rule.yaml from the rules of Prometheus: node grafana/kubernetes/make-rule.js
const fs = require('node:fs')
const path = require('node:path')
const { parse, stringify } = require('yaml')

const RULES = path.join(__dirname, '..', 'prometheus')

/** The PrometheusRule as text, for the operator. */
exports.makeRule = () => '# Made by make-rule.js from ../prometheus/recording.yml and alerts.yml.\n' + stringify({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'loopwatch', labels: { release: 'kube-prometheus-stack' } },
  spec: {
    groups: ['recording.yml', 'alerts.yml'].flatMap((name) => parse(fs.readFileSync(path.join(RULES, name), 'utf8')).groups)
  }
}, { lineWidth: 0 })

if (require.main === module) fs.writeFileSync(path.join(__dirname, 'prometheus-rule.yaml'), exports.makeRule())
