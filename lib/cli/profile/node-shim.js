'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { entryPoint } = require('../../tables/entry-points')

const PRELOAD = entryPoint('profilePreload')

/** For a POSIX shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Writes a `node` for the tools to start. It runs the application in the application's folder (cwd). The tool runs in
 * its own folder (work), and finds there the logs that V8 and Node.js write for it. 0x deletes whatever looks like one.
 * @param {{ work: string, cwd: string, node: string }} setup
 */
exports.writeNodeShim = ({ work, cwd, node }) => {
  // On Windows, a script is not executable: the tool shares the application's folder.
  if (process.platform === 'win32') return node
  const file = path.join(work, 'bin', 'node')
  fs.mkdirSync(path.dirname(file))
  fs.writeFileSync(file, `#!/bin/sh
for arg do
  shift
  case $arg in
    --prof-process) exec ${quoted(node)} "$arg" "$@" ;;
    --logfile=./*) arg=--logfile=${quoted(work)}/\${arg#--logfile=./} ;;
  esac
  set -- "$@" "$arg"
done
cd ${quoted(cwd)} || exit 1
exec ${quoted(node)} --trace-event-file-pattern=${quoted(`${work}/node_trace.\${rotation}.log`)} --require ${quoted(PRELOAD)} "$@"
`, { mode: 0o755 })
  return file
}

exports.PRELOAD = PRELOAD
