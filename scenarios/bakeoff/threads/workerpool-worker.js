'use strict'

require('workerpool').worker({ timed: require('./timed') })
