// Builds the page's script and style, with the licences of the packages in them, and the documents that it links to.
// The result is kept in ../built, so that the package needs no build and none of these libraries:
// node lib/export/page/source/build.mjs
import { build } from 'esbuild'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { causeColors } from './cause-colors.mjs'
import { buildDocument } from './documents.mjs'

const SOURCE = path.dirname(fileURLToPath(import.meta.url))
const ROOT = path.join(SOURCE, '..', '..', '..', '..')
const BUILT = path.join(SOURCE, '..', 'built')
const BANNER = '/* loopwatch; contains the packages of THIRD-PARTY.txt */'
const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/

/** @returns {Promise<Record<string, string>>} contents of the files by name */
export async function buildPage () {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { page: path.join(SOURCE, 'main.mjs'), report: path.join(SOURCE, 'report.mjs') },
    outdir: BUILT,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    charset: 'utf8',
    banner: { js: BANNER, css: BANNER },
    plugins: [causeColors],
    metafile: true,
    write: false
  })
  const files = outputFiles.map(({ path: file, text }) => [path.basename(file), text])
  const packages = new Set(Object.keys(metafile.inputs).flatMap((input) => PACKAGE.exec(input)?.[1] ?? []))
  return {
    // A report uses the style of the page, which includes its own.
    ...Object.fromEntries(files.filter(([name]) => name !== 'report.css')),
    // Its indentation is 0.7 kB.
    'index.html': fs.readFileSync(path.join(SOURCE, 'index.html'), 'utf8').replace(/\n +/g, '\n'),
    'runbook.html': buildDocument(ROOT, 'runbook'),
    'causes.html': buildDocument(ROOT, 'causes'),
    'THIRD-PARTY.txt': [...packages].sort().map(licenceOf).join('\n')
  }
}

/** @param {string} name of a package */
function licenceOf (name) {
  const folder = path.join(ROOT, 'node_modules', name)
  const { version, license } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence file`)
  return `== ${name} ${version} (${license})\n\n${fs.readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  fs.mkdirSync(BUILT, { recursive: true })
  for (const [name, text] of Object.entries(await buildPage())) fs.writeFileSync(path.join(BUILT, name), text)
}
