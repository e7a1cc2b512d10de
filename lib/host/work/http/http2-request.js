'use strict'

const GRPC = 'application/grpc'
/** https://github.com/grpc/grpc/blob/master/doc/statuscodes.md: there is no such method. */
const UNIMPLEMENTED = '12'

/** Of a stream of HTTP/2 that is served without the compatibility API (gRPC is), what a request of that API has. */
class StreamRequest {
  /**
   * @param {import('node:http2').ServerHttp2Stream} stream
   * @param {import('node:http2').IncomingHttpHeaders} headers
   * @param {string[]} rawHeaders
   */
  constructor (stream, headers, rawHeaders) {
    this.httpVersionMajor = 2
    this.method = headers[':method']
    this.url = headers[':path']
    this.headers = headers
    this.rawHeaders = rawHeaders
    this.stream = stream
  }

  /** Of gRPC, whose paths are names of methods. */
  get isGrpc () {
    const type = this.headers['content-type']
    return typeof type === 'string' && type.startsWith(GRPC)
  }

  /** gRPC answers 200 to what it does not know either. */
  get isUnimplemented () {
    const { sentTrailers, sentHeaders } = this.stream
    return this.isGrpc && `${sentTrailers?.['grpc-status'] ?? sentHeaders?.['grpc-status']}` === UNIMPLEMENTED
  }
}

exports.StreamRequest = StreamRequest
