'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const ts = require('typescript')
const { SourceMaps } = require('../../../../lib/explain/source/source-map')
const { makeDir } = require('../../../support/files')

/** Its types are gone from the generated code, so that no line stays where it was. */
const SOURCE = `interface Row {
  id: number
}

type Rows = Row[]

export function total (rows: Rows): number {
  return rows.reduce((sum: number, row: Row) => sum + row.id, 0)
}
`

/** @param {string} text @param {string} word @returns {{ line: number, column: number }} from 1 */
function placeOf (text, word) {
  const before = text.slice(0, text.indexOf(word)).split('\n')
  return { line: before.length, column: before[before.length - 1].length + 1 }
}

/**
 * The source compiled by TypeScript, and where its call of reduce() is, in both: at the dot, a token of one character.
 * @param {{ inlineSourceMap?: boolean, sourceMap?: boolean }} options
 */
function compile (options) {
  const { outputText, sourceMapText } = ts.transpileModule(SOURCE, {
    fileName: 'total.ts', compilerOptions: { ...options, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS }
  })
  const generated = placeOf(outputText, '.reduce')
  const original = placeOf(SOURCE, '.reduce')
  assert.notEqual(generated.line, original.line)
  return { code: outputText, map: sourceMapText ? JSON.parse(sourceMapText) : undefined, generated, original }
}

const compiled = compile({ sourceMap: true })

/** @param {string} file */
const read = (file) => fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null

/**
 * Files in memory, with how often each was read.
 * @param {Record<string, string>} files
 * @param {ConstructorParameters<typeof SourceMaps>[1]} [more]
 */
function makeMaps (files, more) {
  /** @type {string[]} */
  const reads = []
  const maps = new SourceMaps((file) => {
    reads.push(file)
    return files[file] ?? null
  }, more)
  return { maps, reads }
}

/** A frame at the call in the generated file. @param {string} file @param {{ line: number, column: number }} [at] */
const frameIn = (file, at = compiled.generated) => ({ function: 'total', file, ...at })

test('a frame in code with a map next to it is named at its original place', (t) => {
  const dir = makeDir(t)
  fs.mkdirSync(path.join(dir, 'dist'))
  fs.writeFileSync(path.join(dir, 'dist', 'total.js'), compiled.code)
  fs.writeFileSync(path.join(dir, 'dist', 'total.js.map'), JSON.stringify({ ...compiled.map, sources: ['../src/total.ts'] }))
  assert.deepEqual(new SourceMaps(read).original(frameIn(path.join(dir, 'dist', 'total.js'))),
    { function: 'total', file: path.join(dir, 'src', 'total.ts'), ...compiled.original })
})

test('a frame in code with an inline map is named at its original place', (t) => {
  const { code, generated, original } = compile({ inlineSourceMap: true })
  const file = path.join(makeDir(t), 'total.js')
  fs.writeFileSync(file, code)
  assert.deepEqual(new SourceMaps(read).original(frameIn(file, generated)),
    { function: 'total', file: path.join(path.dirname(file), 'total.ts'), ...original })
})

const bare = compiled.code.replace(/\/\/# sourceMappingURL=.*/, '')

test('an inline map need not be base64, and may name its charset', () => {
  const text = JSON.stringify(compiled.map)
  for (const url of [
    `data:application/json,${encodeURIComponent(text)}`,
    `data:application/json;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`
  ]) {
    const { maps } = makeMaps({ '/srv/total.js': `${bare}//# sourceMappingURL=${url}\n` })
    assert.deepEqual(maps.original(frameIn('/srv/total.js')), { function: 'total', file: '/srv/total.ts', ...compiled.original }, url.slice(0, 50))
  }
})

test('the last comment counts, in any of its forms; a comment quoted in code does not', () => {
  for (const comment of ['//# sourceMappingURL=real.map', '//@ sourceMappingURL=real.map', '/*# sourceMappingURL=real.map */']) {
    const code = `const s = '//# sourceMappingURL=quoted.map'\n//# sourceMappingURL=bundled.map\n${bare}${comment}\n`
    const { maps, reads } = makeMaps({ '/srv/total.js': code, '/srv/real.map': JSON.stringify(compiled.map) })
    const { generated } = compiled
    assert.deepEqual(maps.original(frameIn('/srv/total.js', generated)), { function: 'total', file: '/srv/total.ts', ...compiled.original }, comment)
    assert.deepEqual(reads, ['/srv/total.js', '/srv/real.map'])
  }
})

test('a map in sections, as Turbopack writes it, is read; all its sections count as its size', () => {
  const { generated, original } = compiled
  const sections = [{ offset: { line: 0, column: 0 }, map: { version: 3, sources: [], names: [], mappings: '' } },
    { offset: { line: 2, column: 0 }, map: compiled.map }]
  const of = (/** @type {object[]} */ all) =>
    makeMaps({ '/srv/total.js': `'a'\n'b'\n${compiled.code}`, '/srv/total.js.map': JSON.stringify({ version: 3, sections: all }) }).maps
  const frame = frameIn('/srv/total.js', { ...generated, line: generated.line + 2 })
  assert.deepEqual(of(sections).original(frame), { function: 'total', file: '/srv/total.ts', ...original })
  const large = { offset: { line: 999, column: 0 }, map: { ...compiled.map, mappings: ';'.repeat(3e6) } }
  assert.deepEqual(of([...sections, large, large]).original(frame), frame)
})

test('folders and files with spaces, umlauts, #, ? and % are found', () => {
  for (const folder of ['/srv/a b', '/srv/größe', '/srv/c#', '/srv/why?', '/srv/100%', '/srv/a%20b']) {
    const { maps } = makeMaps({ [`${folder}/dist/total.js`]: `${bare}//# sourceMappingURL=the%20map.json\n`, [`${folder}/dist/the map.json`]: JSON.stringify({ ...compiled.map, sources: ['../src/to tal.ts'] }) })
    assert.deepEqual(maps.original(frameIn(`${folder}/dist/total.js`)), { function: 'total', file: `${folder}/src/to tal.ts`, ...compiled.original })
  }
})

test('a file: URL, as ES modules have, becomes a path, mapped or not', () => {
  const { maps } = makeMaps({ '/srv/a b/total.mjs': `${bare}//# sourceMappingURL=m.map\n`, '/srv/a b/m.map': JSON.stringify({ ...compiled.map, sources: [pathToFileURL('/src/a b/total.ts').href] }) })
  assert.deepEqual(maps.original(frameIn(pathToFileURL('/srv/a b/total.mjs').href)), { function: 'total', file: '/src/a b/total.ts', ...compiled.original })
  assert.deepEqual(maps.original(frameIn('file:///srv/plain%20file.mjs')), frameIn('/srv/plain file.mjs'))
  assert.deepEqual(maps.original(frameIn('file://elsewhere/%2F')), frameIn('file://elsewhere/%2F'), 'one that names no path stays as it is')
})

test('a source that is not a file keeps its name', () => {
  const { maps } = makeMaps({ '/srv/total.js': compiled.code, '/srv/total.js.map': JSON.stringify({ ...compiled.map, sources: ['webpack://app/src/total.ts'] }) })
  assert.equal(maps.original(frameIn('/srv/total.js')).file, 'webpack://app/src/total.ts')
})

test('a package has the lines of the file that is installed, which is not read for a map; the application\'s bundle has its own', () => {
  const map = { ...compiled.map, sources: ['webpack://next/./src/total.ts'] }
  const inPackage = '/srv/node_modules/next/dist/total.js'
  const own = '/srv/.next/server/total.js'
  const code = `${compiled.code}\n//# sourceMappingURL=total.js.map`
  const { maps, reads } = makeMaps({
    [inPackage]: code, [`${inPackage}.map`]: JSON.stringify(map), [own]: code, [`${own}.map`]: JSON.stringify(map)
  })
  assert.deepEqual(maps.original(frameIn(inPackage)), frameIn(inPackage))
  assert.match(maps.original(frameIn(own)).file ?? '', /^webpack:/)
  const { line } = compiled.generated
  assert.deepEqual(maps.placeOfLine(inPackage, line), { file: inPackage, line })
  assert.deepEqual(reads, [own, `${own}.map`])
})

test('without a map, or with one that is broken, a frame comes back as it was', () => {
  const good = JSON.stringify(compiled.map)
  /** @type {Record<string, string | null>} */
  const broken = {
    missing: null,
    empty: '',
    'cut off': good.slice(0, good.length / 2),
    'no JSON': '<html>404</html>',
    null: 'null',
    'a number': '5',
    'without mappings': JSON.stringify({ ...compiled.map, mappings: undefined }),
    'mappings of another type': JSON.stringify({ ...compiled.map, mappings: 7 }),
    'mappings decoded badly': JSON.stringify({ ...compiled.map, mappings: [[null]] }),
    'without sources': JSON.stringify({ ...compiled.map, sources: undefined }),
    'naming a source it has not': JSON.stringify({ ...compiled.map, sources: [] }),
    'sections of another type': JSON.stringify({ version: 3, sections: 7 }),
    'a section without its map': JSON.stringify({ version: 3, sections: [{ offset: { line: 0, column: 0 } }] })
  }
  for (const [what, text] of Object.entries(broken)) {
    const { maps } = makeMaps({ '/srv/total.js': compiled.code, ...(text !== null && { '/srv/total.js.map': text }) })
    assert.deepEqual(maps.original(frameIn('/srv/total.js')), frameIn('/srv/total.js'), what)
  }
  for (const url of ['data:application/json;base64,!!!', 'data:application/json,%E0%A4%A', '%E0%A4%A', 'http://example.org/total.js.map']) {
    const { maps } = makeMaps({ '/srv/total.js': `${bare}//# sourceMappingURL=${url}\n` })
    assert.deepEqual(maps.original(frameIn('/srv/total.js')), frameIn('/srv/total.js'), url)
  }
})

test('a frame outside what its map covers comes back as it was, even at a line that cannot be', () => {
  const { maps } = makeMaps({ '/srv/total.js': compiled.code, '/srv/total.js.map': JSON.stringify(compiled.map) })
  for (const at of [
    { line: 99999, column: 1 },
    { line: 1, column: 1 },
    { line: 0, column: 1 },
    { line: -4, column: 1 },
    { line: compiled.generated.line, column: -3 }
  ]) {
    assert.deepEqual(maps.original(frameIn('/srv/total.js', at)), frameIn('/srv/total.js', at), JSON.stringify(at))
  }
})

test('built-ins, Node\'s own code and code without a file are not looked for', () => {
  const { maps, reads } = makeMaps({})
  for (const frame of [
    { function: 'sort', file: null, line: null, column: null },
    { function: 'emit', file: 'node:events', line: 5, column: 1 },
    { function: 'f', file: 'evalmachine.<anonymous>', line: 1, column: 1 },
    { function: 'f', file: 'relative.js', line: 1, column: 1 }
  ]) assert.deepEqual(maps.original(frame), frame)
  assert.deepEqual(reads, [])
})

test('files and maps that are too large to read are passed over, and not asked for again', () => {
  const { maps, reads } = makeMaps({ '/srv/total.js': compiled.code }, { sizeOf: () => Infinity })
  for (let i = 0; i < 5; i++) {
    assert.deepEqual(maps.original(frameIn('/srv/huge.js')), frameIn('/srv/huge.js'))
    assert.deepEqual(maps.original(frameIn('/srv/total.js')), frameIn('/srv/total.js'))
  }
  assert.deepEqual(reads, ['/srv/huge.js', '/srv/total.js', '/srv/total.js.map'])
})

test('each file is read once, and of ever new files a bounded number is kept', () => {
  /** @type {Record<string, string>} */
  const files = { '/srv/total.js.map': JSON.stringify(compiled.map) }
  for (let i = 0; i < 250; i++) files[`/srv/${i}.js`] = compiled.code
  const { maps, reads } = makeMaps(files)
  const original = { function: 'total', file: '/srv/total.ts', ...compiled.original }
  for (let i = 0; i < 250; i++) {
    for (let k = 0; k < 3; k++) assert.deepEqual(maps.original(frameIn(`/srv/${i}.js`)), original)
  }
  assert.equal(reads.length, 2 * 250)
  assert.deepEqual(maps.original(frameIn('/srv/0.js')), original)
  assert.equal(reads.length, 2 * 251, 'the first was let go meanwhile')
})

/** A map of so many characters of mappings. @param {number} chars */
const mapOfChars = (chars) => JSON.stringify({ ...compiled.map, mappings: `${compiled.map.mappings};${'AAAA,'.repeat(chars / 5)}` })

test('two large maps in turn are read once each', () => {
  const text = mapOfChars(2.25e6)
  const { maps, reads } = makeMaps({
    '/srv/a/total.js': compiled.code, '/srv/a/total.js.map': text, '/srv/b/total.js': compiled.code, '/srv/b/total.js.map': text
  })
  for (let i = 0; i < 20; i++) {
    const folder = i % 2 === 0 ? '/srv/a' : '/srv/b'
    assert.deepEqual(maps.original(frameIn(`${folder}/total.js`)), { function: 'total', file: `${folder}/total.ts`, ...compiled.original })
  }
  assert.equal(reads.length, 4)
})

test('the least recently used of many large maps is let go, not all of them', () => {
  const text = mapOfChars(2.25e6)
  /** @type {Record<string, string>} */
  const files = {}
  for (const name of ['a', 'b', 'c', 'd']) Object.assign(files, { [`/srv/${name}/total.js`]: compiled.code, [`/srv/${name}/total.js.map`]: text })
  const { maps, reads } = makeMaps(files)
  const use = (/** @type {string} */ name) => maps.original(frameIn(`/srv/${name}/total.js`))
  for (const name of ['a', 'b', 'c', 'b', 'c', 'd']) use(name)
  reads.length = 0
  use('d')
  use('c')
  assert.deepEqual(reads, [], 'the latest are kept')
  use('a')
  assert.equal(reads.length, 2)
})

test('a map that is too large is reported once for its file, whose frames stay at their places', () => {
  /** @type {string[]} */
  const said = []
  const sizes = new Map([['/srv/huge.js', 99e6], ['/srv/c.js.map', 99e6]])
  const files = new Map([
    ['/srv/a.js', compiled.code],
    ['/srv/total.js.map', mapOfChars(5e6)],
    ['/srv/c.js', compiled.code.replace('total.js.map', 'c.js.map')],
    ['/srv/d.js', compiled.code.replace('total.js.map', 'missing.map')]
  ])
  const maps = new SourceMaps((file) => files.get(file) ?? null, {
    sizeOf: (file) => sizes.get(file) ?? 0, onTooLarge: (file) => said.push(file)
  })
  for (let i = 0; i < 2; i++) {
    for (const file of ['/srv/a.js', '/srv/huge.js', '/srv/c.js', '/srv/d.js', '/srv/none.js']) assert.deepEqual(maps.original(frameIn(file)), frameIn(file))
  }
  assert.deepEqual(said, ['/srv/a.js', '/srv/huge.js', '/srv/c.js'])
})

test('a large map, or that of a large file, is read later: until then its frames stay where they are', () => {
  for (const large of ['/srv/total.js', '/srv/total.js.map']) {
    const files = new Map([['/srv/total.js', compiled.code], ['/srv/total.js.map', JSON.stringify(compiled.map)]])
    /** @type {string[]} */
    const reads = []
    /** @type {(() => void)[]} */
    const jobs = []
    const maps = new SourceMaps((file) => {
      reads.push(file)
      return files.get(file) ?? null
    }, { sizeOf: (file) => file === large ? 1e6 : 500, later: (file, job) => jobs.push(job) > 0 })
    for (let i = 0; i < 3; i++) assert.deepEqual(maps.original(frameIn('/srv/total.js')), frameIn('/srv/total.js'))
    assert.equal(maps.placeOfLine('/srv/total.js', compiled.generated.line), null, 'not known yet')
    assert.equal(maps.isAwaited('/srv/total.js'), true)
    assert.ok(!reads.includes(large), `${reads}`)
    assert.equal(jobs.length, 1)
    jobs[0]()
    assert.equal(maps.isAwaited('/srv/total.js'), false)
    assert.deepEqual(maps.original(frameIn('/srv/total.js')), { function: 'total', file: '/srv/total.ts', ...compiled.original })
  }
})

test('a map that is learned while the large file is still to be read is the one that counts', () => {
  const file = '/srv/total.ts'
  /** @type {(() => void)[]} */
  const jobs = []
  const maps = new SourceMaps(() => SOURCE, { sizeOf: () => 1e6, later: (file, job) => jobs.push(job) > 0 })
  assert.equal(maps.original(frameIn(file)).compiled, true)
  maps.learn(file, JSON.stringify({ ...compiled.map, sources: ['total.ts'] }))
  for (const job of jobs) job()
  assert.deepEqual(maps.original(frameIn(file)), { function: 'total', file, ...compiled.original })
})

test('a map that is in memory alone is asked for once it is missed, and counts when it has been learned', (t) => {
  const file = path.join(makeDir(t), 'total.ts')
  fs.writeFileSync(file, SOURCE)
  /** @type {string[]} */
  const missed = []
  const maps = new SourceMaps(read, { onMissing: (file) => missed.push(file) })
  for (let i = 0; i < 2; i++) assert.deepEqual(maps.original(frameIn(file)), { ...frameIn(file), compiled: true })
  const plain = file.replace('.ts', '.js')
  assert.deepEqual(maps.original(frameIn(plain)), frameIn(plain))
  maps.original(frameIn(path.join(path.dirname(file), 'node_modules', 'a', 'index.js')))
  // What runs of any file may have been compiled; but for packages, as only few files of theirs are.
  assert.deepEqual(new Set(missed), new Set([file, plain]))
  assert.equal(maps.isInMemory(file), true)
  maps.learn(file, JSON.stringify({ ...compiled.map, sources: ['total.ts'] }))
  assert.deepEqual(maps.original(frameIn(file)), { function: 'total', file, ...compiled.original })
  maps.learn(file, 'no map')
  assert.equal(maps.original(frameIn(file)).compiled, true)
})

test('JavaScript that was compiled in memory is at the lines of its file, also in a package, by a map in memory or in another file', (t) => {
  const dir = makeDir(t)
  const map = JSON.stringify({ ...compiled.map, sources: ['elsewhere/total.js'] })
  fs.writeFileSync(path.join(dir, 'cached'), map)
  for (const file of [path.join(dir, 'total.js'), path.join(dir, 'node_modules', 'a', 'total.js')]) {
    for (const tell of ['learn', 'place']) {
      const maps = new SourceMaps(read)
      assert.deepEqual(maps.original(frameIn(file)), frameIn(file))
      assert.equal(maps.isInMemory(file), false)
      if (tell === 'learn') maps.learn(file, map)
      else maps.place(file, path.join(dir, 'cached'))
      assert.deepEqual(maps.original(frameIn(file)), { function: 'total', file, ...compiled.original }, tell)
      assert.equal(maps.isInMemory(file), true)
    }
  }
})

test('where every file runs compiled, a line is in doubt until its map has come, or the word that there is none', (t) => {
  const file = path.join(makeDir(t), 'total.js')
  const package_ = path.join(path.dirname(file), 'node_modules', 'a', 'index.js')
  const maps = new SourceMaps(read, { compilesAll: true })
  assert.equal(maps.original(frameIn(file)).compiled, true)
  assert.equal(maps.placeOfLine(file, 1), null)
  assert.deepEqual(maps.original(frameIn(package_)), frameIn(package_))
  maps.learnPlain(file)
  assert.deepEqual(maps.original(frameIn(file)), frameIn(file))
  assert.deepEqual(maps.placeOfLine(file, 1), { file, line: 1 })
})

test('a whole line of what runs is where its source has it; one that holds several lines of the source is nowhere', (t) => {
  const file = path.join(makeDir(t), 'total.ts')
  const maps = new SourceMaps(read)
  assert.equal(maps.placeOfLine(file, compiled.generated.line), null, 'compiled in memory, and no map is known')
  maps.learn(file, JSON.stringify({ ...compiled.map, sources: [pathToFileURL(file).href] }))
  const place = maps.placeOfLine(file, compiled.generated.line)
  assert.deepEqual([place?.file, place?.line, place?.column], [file, compiled.original.line, 3])
  assert.equal(maps.placeOfLine(file, 999), null)
  const plain = path.join(path.dirname(file), 'plain.js')
  assert.deepEqual(maps.placeOfLine(plain, 4), { file: plain, line: 4 })
  // Two places of one line, from different lines.
  maps.learn(plain, JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA,SACA' }))
  assert.equal(maps.placeOfLine(plain, 1), null)
})

test('where Node.js runs TypeScript itself a place counts, unless it does not exist in the file', (t) => {
  const file = path.join(makeDir(t), 'total.tsx')
  fs.writeFileSync(file, 'const a = 1\ncall()\n')
  const maps = new SourceMaps(read, { stripsTypes: true })
  const isElsewhere = (/** @type {number} */ line, /** @type {number} */ column) => maps.original({ function: 'f', file, line, column }).compiled === true
  assert.deepEqual([isElsewhere(2, 1), isElsewhere(2, 7), maps.isInMemory(file)], [false, false, false])
  assert.deepEqual([isElsewhere(2, 8), isElsewhere(4, 1), maps.isInMemory(file)], [true, true, true])
})

test('a file of which a place cannot be is another than what runs under its name, whoever says that it is not', (t) => {
  const source = "'use strict'\n\nfunction total (rows) {\n  return rows.reduce((sum, row) => sum + row, 0)\n}\n"
  const makeOne = () => {
    let misfits = 0
    const { maps } = makeMaps({ '/srv/app.js': source }, { onMisfit: () => misfits++ })
    const isElsewhere = (/** @type {number} */ line, /** @type {number} */ column) =>
      maps.original({ function: 'total', file: '/srv/app.js', line, column }).compiled === true
    return { maps, isElsewhere, count: () => misfits }
  }
  /** @type {[number, number, boolean][]} */
  const places = [
    [4, 3, false], [4, 15, false], [4, 21, false], [4, 36, false], [4, 49, false], [5, 2, false], [1, 1, false],
    [4, 4, true], [4, 2, true], [4, 18, true], [4, 50, true], [2, 3, true], [9, 1, true],
    [0, 1, true], [-3, 4, true], [4, 0, true]
  ]
  for (const [line, column, expected] of places) {
    const { isElsewhere, count } = makeOne()
    assert.equal(isElsewhere(line, column), expected, `${line}:${column}`)
    assert.equal(count(), expected ? 1 : 0)
  }
  const { maps, isElsewhere, count } = makeOne()
  assert.equal(isElsewhere(4, 15), false)
  assert.equal(isElsewhere(4, 18), true)
  maps.learnPlain('/srv/app.js')
  assert.deepEqual([isElsewhere(4, 15), isElsewhere(4, 3), count(), maps.isInMemory('/srv/app.js')], [true, true, 1, true])
})

test('memory does not grow with the number of files that were compiled in memory', () => {
  const maps = new SourceMaps(() => null)
  maps.learn('/srv/first.js', '{}')
  for (let i = 0; i < 10_000; i++) maps.learn(`/srv/${i}.js`, '{}')
  assert.equal(maps.isInMemory('/srv/first.js'), false, 'the oldest is forgotten')
  assert.equal(maps.isInMemory('/srv/9999.js'), true)
})

test('memory does not grow with the number of files that differ from what runs', () => {
  const maps = new SourceMaps(() => '')
  const misfit = (/** @type {string} */ file) => maps.original({ function: 'f', file, line: 5, column: 1 }).compiled
  assert.equal(misfit('/srv/first.js'), true)
  for (let i = 0; i < 10_000; i++) misfit(`/srv/${i}.js`)
  maps.learnPlain('/srv/first.js')
  maps.learnPlain('/srv/9999.js')
  assert.deepEqual(['/srv/first.js', '/srv/9999.js'].map((file) => maps.isInMemory(file)), [false, true])
})
