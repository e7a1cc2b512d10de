'use strict'

const { OTHER } = require('../util/other')

/** Methods by the number that travels through the ring; HTTP/2 lets a client make up others. */
const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY', OTHER]

exports.HTTP_METHODS = HTTP_METHODS
exports.OTHER_METHOD = HTTP_METHODS[HTTP_METHODS.length - 1]
