'use strict'

// Nothing: what its process takes is what starting and ending Node.js takes, with what was preloaded.
