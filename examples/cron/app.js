'use strict'

require('loopwatch').start({ labels: { service: 'cron-example' } })

const cron = require('node-cron')

const sessions = Array.from({ length: 12_000 }, (_, id) => ({ id, user: id % 977 }))

function findDuplicates () {
  let duplicates = 0
  // Blocks: compares every session with every other session.
  for (const one of sessions) {
    for (const other of sessions) if (one.user === other.user && one.id < other.id) duplicates++
  }
  return duplicates
}

cron.schedule('* * * * * *', findDuplicates, { name: 'clean-up' })
console.log('runs a job every second: see the log')
