'use strict'

// The package's index also loads default metrics, push gateway and cluster: 27 ms of the
// watchdog's start instead of 3, in which a block at start-up would go unseen.
/** @typedef {typeof import('prom-client')} PromClient */

// @ts-expect-error no declarations beside this file
exports.Registry = /** @type {PromClient['Registry']} */ (require('prom-client/lib/registry'))
// @ts-expect-error no declarations beside this file
exports.Counter = /** @type {PromClient['Counter']} */ (require('prom-client/lib/counter'))
// @ts-expect-error no declarations beside this file
exports.Gauge = /** @type {PromClient['Gauge']} */ (require('prom-client/lib/gauge'))
// @ts-expect-error no declarations beside this file
exports.Histogram = /** @type {PromClient['Histogram']} */ (require('prom-client/lib/histogram'))
