'use strict'

const PREFIX = 'loopwatch_scenario_'
const labels = ['scenario', 'variant', 'cell']

/**
 * Metrics of a running scenario on its own endpoint, port 9465: `scenario` is its name,
 * `variant` the way it does the work, `cell` the parameters. Not of the agent, so not in lib/.
 */
exports.table = [
  { key: 'operations', name: 'operations_total', type: 'counter', unit: 'operations', help: 'Operations that came back with the right result', labels },
  { key: 'operationDuration', name: 'operation_duration_seconds', type: 'histogram', unit: 'seconds', help: 'Duration of an operation as its caller sees it', labels, buckets: [0.00001, 0.000025, 0.0001, 0.00025, 0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10, 30] },
  { key: 'callerBlock', name: 'block_duration_seconds', type: 'histogram', unit: 'seconds', help: 'Duration of blocks of the event loops that call or serve, reported when the measurement of a run ends', labels, buckets: [0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] },
  { key: 'scenarioWorkers', name: 'workers', type: 'gauge', unit: 'workers', help: 'Workers, processes or goroutines that share the work', labels }
].map((row) => ({ ...row, name: PREFIX + row.name }))
