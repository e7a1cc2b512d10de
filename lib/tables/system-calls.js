'use strict'

/**
 * @typedef {'descriptor' | 'path' | 'pathAt' | 'polled' | 'epoll' | 'child' | 'childById' | 'lock' | 'nothing'} Waited
 * the target of a call in its arguments: `descriptor` and `path` are the first one, `pathAt` has the path in the second
 * one, `polled` is a list of descriptors, `child` and `childById` a process
 * @typedef {{ name: string, waited: Waited, preposition: string }} CallRow
 */

/**
 * The system calls in which a thread of Node.js can sleep, with the names of their man pages: family, target, the word
 * before the target, numbers on x64, numbers on arm64 and the other younger systems.
 * @type {[string, Waited, string, number[], number[]][]}
 */
const table = [
  ['read', 'descriptor', 'of', [0, 17, 19, 295, 327], [63, 67, 65, 69, 286]],
  ['write', 'descriptor', 'to', [1, 18, 20, 296, 328], [64, 68, 66, 70, 287]],
  ['open', 'path', 'of', [2], []],
  ['open', 'pathAt', 'of', [257, 437], [56, 437]],
  ['close', 'descriptor', 'of', [3], [57]],
  ['stat', 'path', 'of', [4, 6], []],
  ['stat', 'pathAt', 'of', [262, 332], [79, 291]],
  ['fstat', 'descriptor', 'of', [5], [80]],
  ['statfs', 'path', 'of', [137], [43]],
  ['access', 'path', 'of', [21], []],
  ['access', 'pathAt', 'of', [269, 439], [48, 439]],
  ['readdir', 'descriptor', 'of', [78, 217], [61]],
  ['readlink', 'path', 'of', [89], []],
  ['readlink', 'pathAt', 'of', [267], [78]],
  ['rename', 'path', 'of', [82], []],
  ['rename', 'pathAt', 'of', [264, 316], [38, 276]],
  ['mkdir', 'path', 'of', [83], []],
  ['mkdir', 'pathAt', 'of', [258], [34]],
  ['rmdir', 'path', 'of', [84], []],
  ['link', 'path', 'of', [86], []],
  ['link', 'pathAt', 'of', [265], [37]],
  ['unlink', 'path', 'of', [87], []],
  ['unlink', 'pathAt', 'of', [263], [35]],
  ['chmod', 'path', 'of', [90], []],
  ['chmod', 'pathAt', 'of', [268], [53]],
  ['chown', 'path', 'of', [92], []],
  ['chown', 'pathAt', 'of', [260], [54]],
  ['utimes', 'pathAt', 'of', [280], [88]],
  ['truncate', 'path', 'of', [76], [45]],
  ['ftruncate', 'descriptor', 'of', [77], [46]],
  ['fallocate', 'descriptor', 'of', [285], [47]],
  ['fsync', 'descriptor', 'of', [74], [82]],
  ['fdatasync', 'descriptor', 'of', [75], [83]],
  ['syncfs', 'descriptor', 'of', [306], [267]],
  ['sync', 'nothing', '', [162], [81]],
  ['msync', 'nothing', '', [26], [227]],
  ['flock', 'descriptor', 'of', [73], [32]],
  ['fcntl', 'descriptor', 'of', [72], [25]],
  ['ioctl', 'descriptor', 'of', [16], [29]],
  ['sendfile', 'descriptor', 'to', [40], [71]],
  ['copy_file_range', 'descriptor', 'of', [326], [285]],
  ['splice', 'descriptor', 'of', [275], [76]],
  ['connect', 'descriptor', 'of', [42], [203]],
  ['accept', 'descriptor', 'on', [43, 288], [202, 242]],
  ['send', 'descriptor', 'to', [44, 46, 307], [206, 211, 269]],
  ['receive', 'descriptor', 'from', [45, 47, 299], [207, 212, 243]],
  ['poll', 'polled', 'on', [7, 271], [73]],
  ['select', 'nothing', '', [23, 270], [72]],
  ['epoll_wait', 'epoll', 'for', [232, 281, 441], [22, 441]],
  ['io_uring_enter', 'nothing', '', [426], [426]],
  ['wait4', 'child', 'for', [61], [260]],
  ['waitid', 'childById', 'for', [247], [95]],
  ['vfork', 'nothing', '', [58], []],
  ['clone', 'nothing', '', [56, 435], [220, 435]],
  ['futex', 'lock', '', [202], [98]],
  ['semop', 'nothing', '', [220], [192]],
  ['nanosleep', 'nothing', '', [35, 230], [101, 115]],
  ['mmap', 'nothing', '', [9], [222]],
  ['munmap', 'nothing', '', [11], [215]],
  ['madvise', 'nothing', '', [28], [233]]
]

/** @param {(row: (typeof table)[number]) => number[]} numbersOf @returns {Map<number, CallRow>} */
const byNumber = (numbersOf) => new Map(table.flatMap((row) => {
  const [name, waited, preposition] = row
  return numbersOf(row).map((number) => [number, { name, waited, preposition }])
}))

const x64 = byNumber((row) => row[3])
const generic = byNumber((row) => row[4])

exports.table = table

/** The calls by number, for each value of process.arch that is known. @type {Record<string, Map<number, CallRow>>} */
exports.callsOf = { x64, arm64: generic, riscv64: generic, loong64: generic }
