'use strict'

// `node test/release/package-links.js [folder]`: in the documents of a package, links to what it lacks lead to the
// repository, at the tag of its version; in README, all links do, since it is read on the registry's pages. Changes the
// files in place: release.yml runs it before `npm pack`. Uses nothing but Node.js and npm.
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '..', '..')
const DOCUMENT = /\.md$|^llms\.txt$/
const REPOSITORY = /^git\+(https:\/\/github\.com\/([\w.-]+\/[\w.-]+?))(?:\.git)?$/
/** A block or a span of code; a link or a picture of Markdown; one of HTML. */
const LINK = /^ *```[^]*?^ *```|`[^`\n]*`|(?<before>!?\[[^\][]*\]\(|\]\(|<(?:img|a)\b[^>]*? (?:src|href)=")(?<target>[^)"\s]+)/gm
const ABSOLUTE = /^(?:[a-z]+:|#)/

/**
 * @param {string} file path of a document in the repository
 * @param {string} text
 * @param {{ url: string, slug: string, tag: string, isPacked: (file: string) => boolean }} repository
 */
function withAbsoluteLinks (file, text, { url, slug, tag, isPacked }) {
  return text.replace(LINK, (all, ...rest) => {
    const { before, target } = rest.at(-1)
    if (target === undefined || ABSOLUTE.test(target)) return all
    const [name, anchor] = target.split('#', 2)
    const to = path.posix.join(path.posix.dirname(file), name)
    if (file !== 'README.md' && isPacked(to)) return all
    const isPicture = before.startsWith('!') || before.startsWith('<img')
    const kind = fs.statSync(path.join(ROOT, to)).isDirectory() ? 'tree' : 'blob'
    const base = isPicture ? `https://raw.githubusercontent.com/${slug}/${tag}` : `${url}/${kind}/${tag}`
    return `${before}${base}/${to}${anchor === undefined ? '' : `#${anchor}`}`
  })
}

/** @param {string} folder of the package @returns {string[]} the files that it consists of */
exports.packedFiles = (folder) => {
  const shell = process.platform === 'win32'
  const output = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], shell })
  return JSON.parse(output.slice(output.indexOf('[\n')))[0].files.map((/** @type {{ path: string }} */ each) => each.path)
}

/** @param {string} folder of the package @returns {string[]} the documents that have changed */
exports.makeAbsolute = (folder) => {
  const { repository, version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const [, url, slug] = REPOSITORY.exec(repository?.url) ?? []
  if (url === undefined) throw new Error('package.json has no repository on GitHub, "git+https://github.com/OWNER/NAME.git"')
  const files = exports.packedFiles(folder)
  const isPacked = (/** @type {string} */ file) => files.includes(file)
  return files.filter((file) => DOCUMENT.test(file)).filter((file) => {
    const text = fs.readFileSync(path.join(folder, file), 'utf8')
    const changed = withAbsoluteLinks(file, text, { url, slug, tag: `v${version}`, isPacked })
    if (changed !== text) fs.writeFileSync(path.join(folder, file), changed)
    return changed !== text
  })
}

if (require.main === module) process.stdout.write(`${exports.makeAbsolute(process.argv[2] ?? '.').join('\n')}\n`)
