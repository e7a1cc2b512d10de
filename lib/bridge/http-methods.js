'use strict'

/** Methods by the number that travels through the ring; HTTP/2 lets a client make up others. */
exports.HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'QUERY', '(other)']
