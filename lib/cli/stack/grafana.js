'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { Tool } = require('../common/tool')
const { FOLDER: DASHBOARDS } = require('./dashboards')

const FOLDER = path.join(__dirname, '..', '..', '..', 'grafana')

/**
 * Grafana does not find its own files. They are next to bin/ (archive), in share/grafana (Homebrew), or where Debian's
 * and RPM packages put them. @param {string} file the executable
 */
function homeOf (file) {
  const bin = path.dirname(fs.realpathSync(file))
  const homes = [path.join(bin, '..'), path.join(bin, '..', 'share', 'grafana'), '/usr/share/grafana']
  return homes.find((home) => fs.existsSync(path.join(home, 'conf', 'defaults.ini'))) ?? null
}

/**
 * Uses the files of grafana/provisioning/. Everyone is a viewer, and the data is in a folder of ours.
 * @param {{ file: string, dir: string, port: number, prometheusUrl: string, agentUrl: string, intervalS: number }}
 *   setup file: the executable; agentUrl: for links from ids of blocks; intervalS: between scrapes
 */
exports.startGrafana = ({ file, dir, port, prometheusUrl, agentUrl, intervalS }) => {
  const home = homeOf(file)
  // Before it took commands, the program was called grafana-server.
  const command = /^grafana-server/.test(path.basename(file)) ? [] : ['server']
  return new Tool('Grafana', file, [...command, ...(home === null ? [] : ['--homepath', home])], {
    env: {
      GF_PATHS_DATA: path.join(dir, 'grafana'),
      GF_PATHS_LOGS: path.join(dir, 'grafana', 'log'),
      GF_PATHS_PLUGINS: path.join(dir, 'grafana', 'plugins'),
      GF_PATHS_PROVISIONING: path.join(FOLDER, 'provisioning'),
      GF_LOG_MODE: 'console',
      GF_SERVER_HTTP_ADDR: '127.0.0.1',
      GF_SERVER_HTTP_PORT: `${port}`,
      GF_AUTH_ANONYMOUS_ENABLED: 'true',
      GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
      GF_AUTH_DISABLE_LOGIN_FORM: 'true',
      // Everybody knows the default.
      GF_SECURITY_ADMIN_PASSWORD: randomBytes(16).toString('hex'),
      GF_ANALYTICS_REPORTING_ENABLED: 'false',
      GF_ANALYTICS_CHECK_FOR_UPDATES: 'false',
      GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: 'false',
      GF_NEWS_NEWS_FEED_ENABLED: 'false',
      GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: path.join(DASHBOARDS, 'overview.json'),
      STACK_PROMETHEUS_URL: prometheusUrl,
      STACK_AGENT_URL: agentUrl,
      STACK_INTERVAL: `${intervalS}s`,
      STACK_DASHBOARDS: DASHBOARDS
    }
  })
}
