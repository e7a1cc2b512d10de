'use strict'

// The work of the marked line, and the truth about a block in it.

const crypto = require('node:crypto')
const { missingPackages } = require('../../harness/packages')

/**
 * @typedef {object} Kind
 * @property {string} name
 * @property {string[]} cause the causes that are right
 * @property {(size: number) => string[]} setup lines at the top of the program
 * @property {string} call an expression; `i` counts the iterations
 * @property {string} [statement] a whole statement in place of the call; SIZE is the size
 * @property {string[]} [helper] functions of the program that the call runs; the line with HOT takes the time
 * @property {boolean} [isEither] the line of the call is right as well as the helper's
 * @property {string} [decoy] a cheap call of the same name
 * @property {string} [alias] what an alias of the callee is made from, if the call can be made through one
 * @property {{ name: string, text: (size: number) => string }} [package] that the program requires as `pkg`
 * @property {string | null} [owner] the package to be named; null: none. Absent: that of `package`
 * @property {number} [from] the size to begin with
 * @property {string[]} [needs] packages
 */

/** Objects whose size grows with `size`. @param {number} size */
const objects = (size) => [`const items = Array.from({ length: 4 }, (_, i) => Array.from({ length: ${size} }, (_, k) => ({ id: k, name: \`item \${i} \${k}\`, price: k * 1.5, tags: ['a', 'b'] })))`]
/** @param {number} size */
const numbers = (size) => [`const items = Array.from({ length: 4 }, (_, i) => Array.from({ length: ${size} }, (_, k) => (k * 7919 + i * 31) % 10007))`]
/** @param {number} size */
const words = (size) => [`const items = Array.from({ length: 4 }, (_, i) => Array.from({ length: ${size} }, (_, k) => \`wörd\${(k * 7919 + i) % 1009}\`))`]
/** @param {number} size */
const texts = (size) => [`const items = Array.from({ length: 4 }, (_, i) => \`field \${i}=é\${i}x,\`.repeat(${size}))`]
/** @param {number} size */
const bytes = (size) => [`const items = Array.from({ length: 4 }, (_, i) => Buffer.alloc(${size} * 16, \`\${i} some text \`))`]
/** @param {string} name @param {(size: number) => string[]} [more] */
const needing = (name, more = () => []) => (/** @type {number} */ size) => [`const ${name} = require('node:${name}')`, ...more(size)]
const ITEM = 'items[i & 3]'
const NATIVE = ['native', 'gc']
const SPIN = 'h = (Math.imul(h, 31) + k) | 0'

/**
 * @param {string[]} cause of those that have none of their own
 * @param {(Omit<Kind, 'cause'> & { cause?: string[] })[]} list
 * @returns {Kind[]}
 */
const caused = (cause, list) => list.map((kind) => ({ cause, ...kind }))

const native = caused([...NATIVE, 'sync-io'], [
  { name: 'structuredClone', setup: objects, call: `structuredClone(${ITEM})`, decoy: 'structuredClone(1)', alias: 'structuredClone' },
  { name: 'v8.serialize', setup: needing('v8', objects), call: `v8.serialize(${ITEM})`, decoy: 'v8.serialize(1)', alias: 'v8.serialize' },
  { name: 'v8.deserialize', setup: (size) => [...needing('v8', objects)(size), 'const packed = items.map((each) => v8.serialize(each))'], call: 'v8.deserialize(packed[i & 3])' },
  { name: 'crypto.verify', setup: signing, call: "crypto.verify('sha256', items[i & 3], publicKey, signatures[i & 3])", alias: 'crypto.verify' },
  { name: 'crypto.sign', setup: signing, call: "crypto.sign('sha256', items[i & 3], privateKey)", alias: 'crypto.sign' },
  { name: 'createHash', setup: needing('crypto', bytes), call: `crypto.createHash('sha256').update(${ITEM}).digest('hex')` },
  { name: 'createHmac', setup: needing('crypto', bytes), call: `crypto.createHmac('sha512', 'key').update(${ITEM}).digest()` },
  { name: 'pbkdf2Sync', setup: needing('crypto'), call: "crypto.pbkdf2Sync('secret' + i, 'salt', SIZE, 32, 'sha256')", alias: 'crypto.pbkdf2Sync' },
  { name: 'gzipSync', setup: needing('zlib', bytes), call: `zlib.gzipSync(${ITEM})`, alias: 'zlib.gzipSync' },
  { name: 'inflateSync', setup: (size) => [...needing('zlib', bytes)(size), 'const packed = items.map((each) => zlib.deflateSync(each))'], call: 'zlib.inflateSync(packed[i & 3])' },
  { name: 'readFileSync', setup: (size) => [...needing('fs')(size), `fs.writeFileSync(__filename + '.data', 'x'.repeat(${size} * 64))`], call: "fs.readFileSync(__filename + '.data')", alias: 'fs.readFileSync' },
  { name: 'TextDecoder', setup: (size) => [...texts(size), 'const decoder = new TextDecoder()', 'const encoded = items.map((each) => new TextEncoder().encode(each))'], call: 'decoder.decode(encoded[i & 3])' },
  { name: 'TextEncoder', setup: (size) => [...texts(size), 'const encoder = new TextEncoder()'], call: `encoder.encode(${ITEM})` },
  { name: 'toString base64', setup: bytes, call: `${ITEM}.toString('base64')` },
  { name: 'Buffer.from', setup: texts, call: `Buffer.from(${ITEM}, 'utf8')` },
  { name: 'Buffer.compare', setup: (size) => [...bytes(size), 'const copies = items.map((each) => Buffer.from(each))'], call: `Buffer.compare(${ITEM}, copies[i & 3])` },
  { name: 'vm.Script', setup: (size) => [...needing('vm')(size), `const code = Array.from({ length: ${size} }, (_, k) => \`function f\${k} (a) { return a + \${k} }\`).join('\\n')`, 'let run = Math.random() // V8 keeps what it has compiled, by text'], call: "new vm.Script(code + '//' + run++)" },
  { name: 'bcrypt', needs: ['bcrypt'], owner: 'bcrypt', setup: () => [`const bcrypt = require(${JSON.stringify(require.resolve('bcrypt'))})`, "const hash = bcrypt.hashSync('secret', 4)"], call: "bcrypt.compareSync('secret' + i, hash)", alias: 'bcrypt.compareSync' }
])

const builtin = caused([...NATIVE, 'js'], [
  { name: 'JSON.parse', setup: (size) => [...objects(size), 'const texts = items.map((each) => JSON.stringify(each))'], call: 'JSON.parse(texts[i & 3])', decoy: "JSON.parse('1')" },
  { name: 'JSON.stringify', setup: objects, call: `JSON.stringify(${ITEM})`, decoy: 'JSON.stringify(1)' },
  { name: 'split', setup: texts, call: `${ITEM}.split(',')`, decoy: "'a,b'.split(',')" },
  { name: 'split by pattern', setup: texts, call: `${ITEM}.split(/[,=]/)` },
  { name: 'join', setup: words, call: `${ITEM}.join('; ')` },
  { name: 'sort', setup: words, call: `[...${ITEM}].sort()` },
  { name: 'toSorted', setup: numbers, call: `${ITEM}.toSorted()` },
  { name: 'sort by comparator', setup: numbers, call: `${ITEM}.slice().sort((a, b) => a - b)` },
  { name: 'localeCompare', setup: words, call: `${ITEM}.toSorted((a, b) => a.localeCompare(b))` },
  { name: 'toLocaleDateString', setup: (size) => [`const days = Array.from({ length: ${size} }, (_, k) => new Date(k * 864e5))`], call: "days.map((day) => day.toLocaleDateString('de-DE'))" },
  { name: 'Intl.NumberFormat', setup: (size) => [...numbers(size), "const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })"], call: `${ITEM}.map((each) => money.format(each))` },
  { name: 'normalize', setup: texts, call: `${ITEM}.normalize('NFD')` },
  { name: 'toUpperCase', setup: texts, call: `${ITEM}.toUpperCase()` },
  { name: 'replaceAll', setup: texts, call: `${ITEM}.replaceAll('field', 'f')` },
  { name: 'replace by pattern', setup: texts, call: `${ITEM}.replace(/\\d+/g, '#')` },
  { name: 'matchAll', setup: texts, call: `[...${ITEM}.matchAll(/\\w+/g)]` },
  { name: 'regular expression', setup: (size) => [`const items = Array.from({ length: 4 }, (_, i) => 'ab'.repeat(${size}) + i)`], call: `/^.*b.*c/.test(${ITEM})` },
  { name: 'includes', setup: numbers, call: `${ITEM}.includes(-1)` },
  { name: 'indexOf in text', setup: texts, call: `${ITEM}.indexOf('~')` },
  { name: 'Buffer.concat', setup: (size) => [...bytes(4), `const chunks = Array.from({ length: ${size} }, (_, k) => items[k & 3])`], call: 'Buffer.concat(chunks)' },
  { name: 'spread of a list', setup: numbers, call: `[...${ITEM}, i]` },
  { name: 'spread of an object', setup: (size) => [...words(size), 'const tables = items.map((each) => Object.fromEntries(each.map((word, k) => [word + k, k])))'], call: '({ ...tables[i & 3], i })' },
  { name: 'Object.entries', setup: (size) => [...words(size), 'const tables = items.map((each) => Object.fromEntries(each.map((word, k) => [word + k, k])))'], call: 'Object.entries(tables[i & 3])' },
  { name: 'Object.fromEntries', setup: (size) => [...words(size), 'const pairs = items.map((each) => each.map((word, k) => [word + k, k]))'], call: 'Object.fromEntries(pairs[i & 3])' },
  { name: 'Array.from', setup: numbers, call: `Array.from(new Set(${ITEM}))` },
  { name: 'new Map', setup: (size) => [...words(size), 'const pairs = items.map((each) => each.map((word, k) => [word + k, k]))'], call: 'new Map(pairs[i & 3])' },
  { name: 'new Set', setup: words, call: `new Set(${ITEM})` },
  { name: 'BigInt product', setup: (size) => [`const items = Array.from({ length: 4 }, (_, i) => (7n + BigInt(i)) ** BigInt(${size} * 32))`], call: `${ITEM} * items[(i + 1) & 3]` },
  { name: 'BigInt to text', setup: (size) => [`const items = Array.from({ length: 4 }, (_, i) => (7n + BigInt(i)) ** BigInt(${size} * 8))`], call: `${ITEM}.toString()` },
  { name: 'decodeURIComponent', setup: (size) => [...texts(size), 'const encoded = items.map(encodeURIComponent)'], call: 'decodeURIComponent(encoded[i & 3])' },
  { name: 'typed array sort', setup: (size) => [...numbers(size), 'const floats = items.map((each) => Float64Array.from(each))'], call: 'floats[i & 3].slice().sort()' },
  { name: 'flat', setup: (size) => [...numbers(size), 'const nested = items.map((each) => each.map((n) => [n, n]))'], call: 'nested[i & 3].flat()' }
])

const js = caused(['js', 'gc'], [
  { name: 'plain loop', setup: () => [], call: '', statement: 'for (let k = 0; k < SIZE; k++) acc = (Math.imul(acc, 31) + k) | 0', from: 1000 },
  { name: 'sines', setup: () => [], call: '', statement: 'for (let k = 0; k < SIZE; k++) acc += Math.sin(k) * Math.cos(k + i)', from: 100 },
  { name: 'powers and roots', setup: () => [], call: '', statement: 'for (let k = 0; k < SIZE; k++) acc += Math.sqrt(k) + Math.pow(k, 0.3) + Math.log(k + 1)', from: 100 },
  { name: 'text', setup: () => [], call: '', statement: "for (let k = 0, text = ''; k < SIZE; k++) { text += k; acc += text.length & 1 }", from: 100 },
  { name: 'map of words', setup: (size) => [...words(size), 'const counts = new Map()'], call: '', statement: `for (const word of ${ITEM}) counts.set(word, (counts.get(word) ?? 0) + 1)`, from: 20 },
  { name: 'reduce', setup: numbers, call: `${ITEM}.reduce((sum, each) => sum + each, 0)`, from: 100 },
  { name: 'filter and map', setup: objects, call: `${ITEM}.filter((each) => each.id & 1).map((each) => each.price * 2)`, from: 20 },
  { name: 'find in list', setup: objects, call: `${ITEM}.find((each) => each.id === -1)`, from: 20 },
  { name: 'allocation', cause: ['js', 'gc', 'native'], setup: () => [], call: "Array.from({ length: SIZE }, (_, k) => ({ id: k, name: 'n' + k }))", from: 10 },
  { name: 'function of the file', setup: () => [], call: 'weigh(i)', decoy: 'weigh.length', alias: 'weigh', from: 1000, helper: ['function weigh (seed) {', '  let h = seed', `  for (let k = 0; k < SIZE; k++) ${SPIN} // HOT`, '  return h & 255', '}'] },
  { name: 'small helper', setup: () => [], call: '', statement: 'for (let k = 0; k < SIZE; k++) acc = mix(acc, k)', from: 1000, isEither: true, helper: ['function mix (a, b) {', '  return (Math.imul(a, 31) + b) | 0 // HOT', '}'] },
  { name: 'getter', setup: () => ['const order = new Order()'], call: 'order.total', from: 1000, helper: ['class Order {', '  get total () {', '    let h = 7', `    for (let k = 0; k < SIZE; k++) ${SPIN} // HOT`, '    return h & 255', '  }', '}'] },
  { name: 'proxy', setup: () => ['const view = new Proxy({}, { get: (target, name) => computed(name) })'], call: 'view.total', from: 1000, helper: ['function computed (name) {', '  let h = name.length', `  for (let k = 0; k < SIZE; k++) ${SPIN} // HOT`, '  return h & 255', '}'] },
  { name: 'toJSON', setup: () => ['const basket = { toJSON: () => priced() }'], call: 'JSON.stringify(basket)', from: 1000, helper: ['function priced () {', '  let h = 7', `  for (let k = 0; k < SIZE; k++) ${SPIN} // HOT`, '  return h & 255', '}'] },
  { name: 'util.inspect', setup: needing('util', objects), call: `util.inspect(${ITEM}, { depth: 5, maxArrayLength: null })`, cause: ['js', 'native', 'gc'] },
  { name: 'isDeepStrictEqual', setup: (size) => [...needing('util', objects)(size), 'const copies = structuredClone(items)'], call: `util.isDeepStrictEqual(${ITEM}, copies[i & 3])`, cause: ['js', 'native', 'gc'] },
  { name: 'querystring', setup: (size) => [...needing('querystring')(size), `const query = Array.from({ length: ${size} }, (_, k) => \`a\${k}=\${k}%20x\`).join('&')`], call: 'querystring.parse(query, undefined, undefined, { maxKeys: 0 })', cause: ['js', 'native', 'gc'] },
  { name: 'generated code', setup: (size) => [`const compiled = new Function('h', 'for (let k = 0; k < ${size}; k++) ${SPIN}\\nreturn h & 255')`], call: 'compiled(i)', from: 1000 },
  { name: 'WebAssembly', setup: () => [`const countTo = require(${JSON.stringify(require.resolve('../corpus/wasm-loop'))}).compile()`], call: 'countTo(SIZE)', cause: ['js', 'native'], from: 1000 }
])

/**
 * @param {string} name @param {(size: number) => string} text @param {string} call @param {Partial<Kind>} [more]
 * @returns {Kind}
 */
const ofPackage = (name, text, call, more) =>
  ({ name: `package ${name}`, cause: ['js', 'gc'], setup: () => [], package: { name, text }, call, from: 1000, ...more })

/** @type {Kind[]} */
const packages = [
  ofPackage('tinyweigh', (size) => `exports.weigh = (row) => {\n  let h = row\n  for (let k = 0; k < ${size}; k++) ${SPIN}\n  return h & 255\n}\n`, 'pkg.weigh(i)', { alias: 'pkg.weigh', decoy: 'pkg.weigh.length' }),
  ofPackage('tinyfn', (size) => `module.exports = function (row) {\n  let h = row\n  for (let k = 0; k < ${size}; k++) ${SPIN}\n  return h & 255\n}\n`, 'pkg(i)', { alias: 'pkg' }),
  ofPackage('tinymany', (size) => `${[...'abcdef'].map((letter) => `function ${letter} (n) {\n  let h = n\n  const seen = []\n  for (let k = 0; k < ${size}; k++) {\n    ${SPIN}\n    if (h === ${letter.charCodeAt(0)}) seen.push(k)\n  }\n  return h + seen.length\n}\n`).join('')}exports.analyse = (n) => a(n) + b(n) + c(n) + d(n) + e(n) + f(n)\n`, 'pkg.analyse(i)', { alias: 'pkg.analyse', from: 200 }),
  // Small enough for V8 to inline it into the loop around it, in lines that the program has as well.
  ofPackage('tinyinline', (size) => `${'\n'.repeat(14)}exports.step = (h, k) => {\n  const next = (Math.imul(h, 31) + k) | 0\n  return next ^ (k & ${size & 3})\n}\n`, '', { statement: 'for (let k = 0; k < SIZE; k++) acc = pkg.step(acc, k)' }),
  ofPackage('tinyclass', (size) => `class Ledger {\n  add (n) {\n    let h = n\n    for (let k = 0; k < ${size}; k++) ${SPIN}\n    return h & 255\n  }\n}\nexports.default = Ledger\n`, 'ledger.add(i)', { setup: () => ['const ledger = new pkg.default()'] }),
  ofPackage('tinysign', (size) => `const crypto = require('node:crypto')\nconst { publicKey, privateKey } = ${KEYS()}\nconst data = Buffer.alloc(${size})\nconst signature = crypto.sign('sha256', data, privateKey)\nexports.accepts = (n) => {\n  const ok = crypto.verify('sha256', data, publicKey, signature)\n  return ok ? n : 0\n}\n`, 'pkg.accepts(i)', { cause: NATIVE, owner: 'tinysign' }),
  ofPackage('tinyparse', (size) => `const text = JSON.stringify(Array.from({ length: ${size} }, (_, k) => ({ k })))\nexports.load = (n) => {\n  const rows = JSON.parse(text)\n  return rows.length + n\n}\n`, 'pkg.load(i)', { cause: [...NATIVE, 'js'], from: 10, owner: null })
]

/** Keys as a text that makes the same ones in every program. */
function KEYS () {
  keys ??= crypto.generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } })
  return JSON.stringify(keys)
}
/** @type {{ publicKey: string, privateKey: string } | undefined} */
let keys

/** @param {number} size */
function signing (size) {
  return [
    ...needing('crypto', bytes)(size),
    `const { publicKey: publicPem, privateKey: privatePem } = ${KEYS()}`,
    'const publicKey = crypto.createPublicKey(publicPem)',
    'const privateKey = crypto.createPrivateKey(privatePem)',
    "const signatures = items.map((each) => crypto.sign('sha256', each, privateKey))"
  ]
}

/** Those that this machine can run. */
exports.kinds = [...native, ...builtin, ...js, ...packages]
  .filter(({ needs = [] }) => missingPackages(needs).length === 0)
