'use strict'

const SERIES = /^(loopwatch_[a-z_]+)(\{.*\})? (\S+)$/gm
const GROWING = /_(total|count|sum|bucket)$/

/** @typedef {Map<string, { name: string, labels: string, value: number }>} Scrape by series */

/** The agent's current state. @param {string} url @returns {Promise<Scrape>} */
exports.scrape = async (url) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return new Map([...text.matchAll(SERIES)].map(([, name, labels = '', value]) => [`${name}${labels}`, { name, labels, value: Number(value) }]))
}

/** @param {Scrape} scrape @param {string} name @param {string} [label] that the series must have, as it is written */
exports.sumOf = (scrape, name, label = '') => [...scrape.values()].reduce((sum, each) => sum + (each.name === name && each.labels.includes(label) ? each.value : 0), 0)

/** Counters that have become smaller, or gone. @param {Scrape} before @param {Scrape} after */
exports.countBackward = (before, after) =>
  [...before].filter(([series, { name, value }]) => GROWING.test(name) && !((after.get(series)?.value ?? -1) >= value))
    .length
