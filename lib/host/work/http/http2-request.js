'use strict'

/** @import { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2' */

const GRPC = 'application/grpc'
/** There is no such method: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
const UNIMPLEMENTED = '12'

/** An HTTP/2 stream served without the compatibility API (as gRPC is), with the properties of that API's requests. */
class StreamRequest {
  /**
   * @param {ServerHttp2Stream} stream
   * @param {IncomingHttpHeaders} headers @param {string[]} rawHeaders
   */
  constructor (stream, headers, rawHeaders) {
    this.httpVersionMajor = 2
    this.method = headers[':method']
    this.url = headers[':path']
    this.headers = headers
    this.rawHeaders = rawHeaders
    this.stream = stream
  }

  /** The path of a gRPC call is the name of a method. */
  get isGrpc () {
    const type = this.headers['content-type']
    return typeof type === 'string' && type.startsWith(GRPC)
  }

  /** gRPC answers calls of unknown methods with 200 as well. */
  get isUnimplemented () {
    const { sentTrailers, sentHeaders } = this.stream
    return this.isGrpc && `${sentTrailers?.['grpc-status'] ?? sentHeaders?.['grpc-status']}` === UNIMPLEMENTED
  }
}

exports.StreamRequest = StreamRequest
