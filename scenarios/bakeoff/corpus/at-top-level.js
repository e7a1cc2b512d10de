'use strict'

// Loaded by the target before its server listens: blocks where no loop turns yet.
const { tell } = require('../target/channel')

const MS = 500

function atTopLevel () {
  const end = performance.now() + MS
  while (performance.now() < end); // here: topLevel
}

tell('began', { name: 'topLevel', atMs: Date.now() })
atTopLevel()
tell('ended', { name: 'topLevel', atMs: Date.now() })
