'use strict'

/** JSON bytes of the original's messages; ours are generated to the same size. */
const sizes = { small: 12, medium: 1307, big: 43628, huge: 323733, bigstring: 71415 }
const BIG_RECORDS = 40
const HUGE_RECORDS = 300
const STRING_CHARACTERS = 71405
const TYPED_ARRAY_BYTES = 65536
const SEED = 20_240_229

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron', 'inlet', 'juniper', 'kestrel', 'lagoon', 'meadow', 'north', 'otter', 'poplar']

/** Mulberry32: the same records on every machine. @param {number} seed */
function randomFrom (seed) {
  let state = seed
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const jsonBytes = (/** @type {unknown} */ value) => Buffer.byteLength(JSON.stringify(value))

/**
 * A person of 22 keys with nested tags and friends; its text is cut or filled to give the record its size.
 * @param {() => number} random @param {number} index @param {number} bytes as JSON
 */
function person (random, index, bytes) {
  const word = () => WORDS[Math.floor(random() * WORDS.length)]
  const hex = (/** @type {number} */ digits) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
  const name = `${word()} ${word()}`
  const record = {
    id: hex(48),
    index,
    key: `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
    isMember: random() < 0.5,
    balance: `$${(random() * 4000).toFixed(2)}`,
    image: `http://images.example/people/${hex(24)}/portrait-32x32.png`,
    age: 20 + Math.floor(random() * 21),
    eyes: word(),
    name,
    title: `${word()} ${word()}`,
    company: `${word()} ${word()}`.toUpperCase(),
    email: `${word()}.${word()}@mail.example`,
    phone: `+1 (${hex(3)}) ${hex(3)}-${hex(4)}`,
    address: `${Math.floor(random() * 999)} ${word()} street, ${word()}, ${Math.floor(random() * 9999)}`,
    text: '',
    joined: '2019-07-11T04:12:55 -02:00',
    latitude: Number((random() * 180 - 90).toFixed(6)),
    longitude: Number((random() * 360 - 180).toFixed(6)),
    tags: Array.from({ length: 7 }, word),
    friends: Array.from({ length: 3 }, (_, id) => ({ id, name: `${word()} ${word()}` })),
    greeting: `Hello, ${name}! You have ${Math.floor(random() * 10)} unread messages.`,
    fruit: word()
  }
  // The line end is two characters in memory and four in JSON.
  const room = bytes - jsonBytes(record) - 4
  let text = ''
  while (text.length < room) text += `${word()} `
  record.text = `${text.slice(0, Math.max(0, room))}\r\n`
  return record
}

/** @param {() => number} random @param {number} count @param {number} bytes as JSON, all of them */
function people (random, count, bytes) {
  const records = []
  // Brackets, and a comma before each but the first; what does not divide goes to the last.
  let left = bytes - 2 - (count - 1)
  for (let i = 0; i < count; i++) {
    const record = person(random, i, Math.floor(left / (count - i)))
    left -= jsonBytes(record)
    records.push(record)
  }
  return records
}

/** @param {string} characters @param {() => number} random */
const stringOf = (characters, random) => Array.from({ length: STRING_CHARACTERS }, () => characters[Math.floor(random() * characters.length)]).join('')

/**
 * Every payload by name; `bytes` is binary data instead of an object.
 * @type {Record<string, (random: () => number) => any>}
 */
const makers = {
  small: () => ({ msg: true }),
  medium: (random) => person(random, 0, sizes.medium),
  big: (random) => people(random, BIG_RECORDS, sizes.big),
  huge: (random) => people(random, HUGE_RECORDS, sizes.huge),
  bigstring: (random) => ({ msg: stringOf('abcdefghijklmnopqrstuvwxyz ', random) }),
  twobyte: (random) => ({ msg: stringOf('αβγδεζηθικλμνξοπρστυφχψω', random) }),
  escaped: (random) => ({ msg: stringOf('"\\\n\tabcd', random) }),
  bytes: (random) => Uint8Array.from({ length: TYPED_ARRAY_BYTES }, () => Math.floor(random() * 256))
}

/** @param {string} name */
exports.makePayload = (name) => makers[name](randomFrom(SEED))
exports.jsonBytes = jsonBytes
exports.sizes = sizes
exports.names = Object.keys(makers)
