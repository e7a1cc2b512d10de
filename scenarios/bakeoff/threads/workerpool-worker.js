/// <reference path="../untyped.d.ts" />
'use strict'

require('workerpool').worker({ timed: require('./timed') })
