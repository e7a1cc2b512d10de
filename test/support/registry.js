'use strict'

const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')

const ROOT = path.join(__dirname, '..', '..')

/** Where every version of a package is installed, from the lock files. @param {string} name */
function foldersOf (name) {
  return [ROOT, path.join(ROOT, 'test'), path.join(ROOT, 'scenarios')].flatMap((dir) => {
    const { packages } = JSON.parse(fs.readFileSync(path.join(dir, 'package-lock.json'), 'utf8'))
    return Object.keys(packages).filter((folder) => folder.endsWith(`node_modules/${name}`))
      .map((folder) => path.join(dir, folder)).filter((folder) => fs.existsSync(folder))
  })
}

/** @param {string} folder */
const manifestOf = (folder) => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))

/**
 * A registry on the loopback that has what this checkout has installed, so that `npm install` of the
 * packed package needs no network.
 * @param {{ after: (fn: () => unknown) => void }} t
 * @returns {Promise<{ url: string, asked: string[] }>} with the names of packages that were asked for
 */
exports.startRegistry = async (t) => {
  /** @type {string[]} */
  const asked = []
  const server = http.createServer((request, response) => {
    const [name, version] = decodeURIComponent(String(request.url).slice(1)).split('#')
    const folders = foldersOf(name)
    if (folders.length === 0) {
      response.statusCode = 404
      response.end('{}')
    } else if (version !== undefined) {
      const folder = /** @type {string} */ (folders.find((each) => manifestOf(each).version === version))
      response.end(spawnSync('tar', ['-czf', '-', '--exclude=node_modules', '-C', path.dirname(folder), path.basename(folder)], { maxBuffer: 2 ** 26 }).stdout)
    } else {
      asked.push(name)
      const versions = Object.fromEntries(folders.map(manifestOf).map((manifest) =>
        [manifest.version, { ...manifest, dist: { tarball: `http://${request.headers.host}/${encodeURIComponent(`${name}#${manifest.version}`)}` } }]))
      response.end(JSON.stringify({ name, 'dist-tags': { latest: Object.keys(versions)[0] }, versions }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`, asked }
}
