'use strict'

const { randomUUID } = require('node:crypto')
const os = require('node:os')
const { keyValues } = require('./values')
const { version } = require('../../../package.json')

exports.scope = { name: 'loopwatch', version }

/**
 * @param {object} parts
 * @param {Record<string, string>} parts.attributes of the environment; they win
 * @param {Record<string, string>} parts.labels the option; `service` names the application
 * @param {boolean} parts.isWorker of a cluster: its processes share one environment
 */
exports.resourceOf = ({ attributes, labels: { service, ...labels }, isWorker }) => {
  const id = attributes['service.instance.id']
  return {
    attributes: keyValues({
      'service.name': service ?? `unknown_service:${process.release.name}`,
      'service.instance.id': randomUUID(),
      'host.name': os.hostname(),
      'process.pid': process.pid,
      'process.runtime.name': 'nodejs',
      'process.runtime.version': process.versions.node,
      'telemetry.sdk.name': 'loopwatch',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': version,
      ...labels,
      ...attributes,
      ...(id !== undefined && isWorker && { 'service.instance.id': `${id}/${process.pid}` })
    }),
    droppedAttributesCount: 0
  }
}
