'use strict'

/**
 * @typedef {'descriptor' | 'path' | 'pathAt' | 'polled' | 'epoll' | 'child' | 'childById' | 'lock' | 'database' |
 * 'nothing'} Waited
 * the target of a call in its arguments: `descriptor` and `path` are the first one, `pathAt` has the path in the second
 * one, `polled` is a list of descriptors, `child` and `childById` a process; `database` is found elsewhere
 * @typedef {{ name: string, waited: Waited, preposition: string }} CallRow
 */

/**
 * The system calls in which a thread of Node.js can sleep, with the names of their man pages: family, target, numbers
 * on x64, numbers on arm64 and the other younger systems, and the word before the target unless that is `of`.
 * @type {[string, Waited, number[], number[], string?][]}
 */
const table = [
  ['read', 'descriptor', [0, 17, 19, 295, 327], [63, 67, 65, 69, 286]],
  ['write', 'descriptor', [1, 18, 20, 296, 328], [64, 68, 66, 70, 287], 'to'],
  ['open', 'path', [2], []],
  ['open', 'pathAt', [257, 437], [56, 437]],
  ['close', 'descriptor', [3], [57]],
  ['stat', 'path', [4, 6], []],
  ['stat', 'pathAt', [262, 332], [79, 291]],
  ['fstat', 'descriptor', [5], [80]],
  ['statfs', 'path', [137], [43]],
  ['access', 'path', [21], []],
  ['access', 'pathAt', [269, 439], [48, 439]],
  ['readdir', 'descriptor', [78, 217], [61]],
  ['readlink', 'path', [89], []],
  ['readlink', 'pathAt', [267], [78]],
  ['rename', 'path', [82], []],
  ['rename', 'pathAt', [264, 316], [38, 276]],
  ['mkdir', 'path', [83], []],
  ['mkdir', 'pathAt', [258], [34]],
  ['rmdir', 'path', [84], []],
  ['link', 'path', [86], []],
  ['link', 'pathAt', [265], [37]],
  ['unlink', 'path', [87], []],
  ['unlink', 'pathAt', [263], [35]],
  ['chmod', 'path', [90], []],
  ['chmod', 'pathAt', [268], [53]],
  ['chown', 'path', [92], []],
  ['chown', 'pathAt', [260], [54]],
  ['utimes', 'pathAt', [280], [88]],
  ['truncate', 'path', [76], [45]],
  ['ftruncate', 'descriptor', [77], [46]],
  ['fallocate', 'descriptor', [285], [47]],
  ['fsync', 'descriptor', [74], [82]],
  ['fdatasync', 'descriptor', [75], [83]],
  ['syncfs', 'descriptor', [306], [267]],
  ['sync', 'nothing', [162], [81]],
  ['msync', 'nothing', [26], [227]],
  ['flock', 'descriptor', [73], [32]],
  ['fcntl', 'descriptor', [72], [25]],
  ['ioctl', 'descriptor', [16], [29]],
  ['sendfile', 'descriptor', [40], [71], 'to'],
  ['copy_file_range', 'descriptor', [326], [285]],
  ['splice', 'descriptor', [275], [76]],
  ['connect', 'descriptor', [42], [203]],
  ['accept', 'descriptor', [43, 288], [202, 242], 'on'],
  ['send', 'descriptor', [44, 46, 307], [206, 211, 269], 'to'],
  ['receive', 'descriptor', [45, 47, 299], [207, 212, 243], 'from'],
  ['poll', 'polled', [7, 271], [73], 'on'],
  ['select', 'nothing', [23, 270], [72]],
  ['epoll_wait', 'epoll', [232, 281, 441], [22, 441], 'for'],
  ['io_uring_enter', 'nothing', [426], [426]],
  ['wait4', 'child', [61], [260], 'for'],
  ['waitid', 'childById', [247], [95], 'for'],
  ['vfork', 'nothing', [58], []],
  ['clone', 'nothing', [56, 435], [220, 435]],
  ['futex', 'lock', [202], [98]],
  ['semop', 'nothing', [220], [192]],
  ['nanosleep', 'database', [35, 230], [101, 115]],
  ['mmap', 'nothing', [9], [222]],
  ['munmap', 'nothing', [11], [215]],
  ['madvise', 'nothing', [28], [233]]
]

/** Targets without a word before them. @type {Waited[]} */
const BARE = ['nothing', 'lock', 'database']

/** @param {(row: (typeof table)[number]) => number[]} numbersOf @returns {Map<number, CallRow>} */
const byNumber = (numbersOf) => new Map(table.flatMap((row) => {
  const [name, waited, , , preposition = BARE.includes(waited) ? '' : 'of'] = row
  return numbersOf(row).map((number) => [number, { name, waited, preposition }])
}))

const x64 = byNumber((row) => row[2])
const generic = byNumber((row) => row[3])

exports.table = table

/** The calls by number, for each value of process.arch that is known. @type {Record<string, Map<number, CallRow>>} */
exports.callsOf = { x64, arm64: generic, riscv64: generic, loong64: generic }
