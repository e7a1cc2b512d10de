'use strict'

const { DEFAULT_TARGET, number, target } = require('../common/flags')
const { endWithReader } = require('../common/reader-gone')

/** @import { Command } from 'commander' */

/** Soon enough for a person, at the cost of one scrape. */
const DEFAULT_INTERVAL_S = 5

const EXAMPLES = `
Examples:
  $ loopwatch stack --target 127.0.0.1:9464
  $ loopwatch stack --demo
  $ loopwatch stack --dashboards ./dashboards
`

/** @param {Command} program */
exports.addStack = (program) => {
  program.command('stack')
    .description('start the locally installed Prometheus and Grafana, scraping watched processes, until Ctrl-C')
    .option('--target <host:port>', `endpoint of a watched process, may be repeated (default ${DEFAULT_TARGET}, or the demo)`, target)
    .option('--demo', 'start the demo, a shop and a queue worker, and watch both')
    .option('--port <port>', 'port of Prometheus, 0 = any free one (default 9090, or a free one if that is taken)', number('--port', 0, 65535))
    .option('--grafana-port <port>', 'port of Grafana (default 3000, or a free one if that is taken)', number('--grafana-port', 0, 65535))
    .option('--interval <seconds>', 'time between scrapes, and between evaluations of the rules', number('--interval', 1, 60), DEFAULT_INTERVAL_S)
    .option('--dashboards <folder>', 'only write the dashboards into this folder, for import, and exit')
    .option('--seconds <seconds>', 'exit after this long', number('--seconds', 1, 86400))
    .addHelpText('after', EXAMPLES)
    .action((flags) => {
      if (flags.dashboards === undefined) return require('./stack').stack(flags)
      endWithReader()
      process.stdout.write(`${require('./dashboards').writeDashboards(flags.dashboards).join('\n')}\n`)
    })
}
