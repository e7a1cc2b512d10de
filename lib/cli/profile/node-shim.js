'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { entryPoint } = require('../../tables/entry-points')

const PRELOAD = entryPoint('profilePreload')

/** For a POSIX shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * A `node` for the tools to start: it runs the application in the folder it was meant for, while the
 * tool, and the logs that V8 and Node.js write for it, have a folder of their own. Tools look for
 * these logs where they run themselves, and 0x deletes there what looks like one.
 * @param {object} setup
 * @param {string} setup.work the tool's folder
 * @param {string} setup.cwd the application's
 * @param {string} setup.node
 * @returns {string} the file
 */
exports.writeNodeShim = ({ work, cwd, node }) => {
  // On Windows a script is no executable: tool and application share the application's folder.
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
