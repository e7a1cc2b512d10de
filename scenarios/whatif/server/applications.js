'use strict'

// The four applications: each has one function that holds the event loop, in the middle of a route.
const { pbkdf2Sync } = require('node:crypto')
const { work } = require('../../offload/work')

const SCORE_MS = 10
const AROUND_MS = 1
const PBKDF2_ROUNDS = 20_000
const ORDERS = 8000
const ROUNDS = 10
const REPORT_LINES = 15_000
/** Arguments differ from request to request, in so many ways. */
const KINDS = 4

/** Long work, small arguments. @param {number} customer @param {number} steps */
function score (customer, steps) {
  return { customer, score: work(steps) ^ customer }
}

/** Little work, a large argument. @param {{ amount: number }[]} orders @param {number} tax */
function total (orders, tax) {
  let sum = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const { amount } of orders) sum += (amount + amount * tax) % (round + 1)
  }
  return Math.round(sum)
}

/** A password's hash between other work. @param {string} password @param {string} salt */
function hash (password, salt) {
  return pbkdf2Sync(password, salt, PBKDF2_ROUNDS, 32, 'sha256').toString('hex')
}

/** Work with a large result. @param {number} customer @param {number} count */
function render (customer, count) {
  let html = ''
  for (let i = 0; i < count; i++) {
    html += `<tr><td>${i}</td><td>customer ${customer}</td><td>${((i * 7919) % 1000 / 7).toFixed(2)}</td></tr>`
  }
  return html
}

const orders = Array.from({ length: ORDERS }, (_, i) => ({ id: i, customer: `customer ${i % 100}`, amount: (i * 7919) % 1000 }))

/**
 * @typedef {object} Application
 * @property {(...args: any[]) => any} run the function
 * @property {(kind: number, stepsPerMs: number) => any[]} args
 * @property {(result: any) => string} answer
 * @property {number} aroundMs that the route works before and after, each
 * @property {number} perSecond requests
 */

/** @type {Record<string, Application>} */
const applications = {
  score: {
    run: score,
    args: (kind, stepsPerMs) => [kind, SCORE_MS * stepsPerMs],
    answer: JSON.stringify,
    aroundMs: 0,
    perSecond: 16
  },
  total: { run: total, args: (kind) => [orders, kind / 100], answer: String, aroundMs: 0, perSecond: 16 },
  password: {
    run: hash,
    args: (kind) => ['correct horse', `salt ${kind}`],
    answer: String,
    aroundMs: AROUND_MS,
    perSecond: 16
  },
  report: {
    run: render,
    args: (kind) => [kind, REPORT_LINES],
    answer: (html) => `${html.length} ${html.slice(-40)}`,
    aroundMs: 0,
    perSecond: 16
  }
}

exports.applications = applications
exports.KINDS = KINDS
