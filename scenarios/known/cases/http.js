'use strict'

const { Duplex } = require('node:stream')

/** @type {import('../run').Case[]} */
exports.cases = [
  {
    package: 'path-to-regexp',
    id: 'CVE-2026-4926',
    pairs: [['8.3.0', '8.4.0']],
    prepare: ({ pathToRegexp }) => () => pathToRegexp(`${'{/a}'.repeat(16)}`)
  },
  {
    package: 'path-to-regexp',
    id: 'CVE-2026-4923',
    pairs: [['8.3.0', '8.4.0']],
    prepare: ({ match }) => {
      const matches = match('/*foo-*bar-:baz')
      return () => matches(`/${'a-'.repeat(6000)}/`)
    }
  },
  {
    package: 'express',
    id: 'CVE-2024-52798',
    pairs: [['4.21.1', '4.21.2']],
    prepare: (express) => {
      const app = express()
      app.get('/:a-:b', () => {})
      const response = { setHeader () {}, end () {} }
      return () => app.handle({ url: `/a${'-a'.repeat(16000)}/a`, method: 'GET', headers: {} }, response, () => {})
    }
  },
  {
    package: 'find-my-way',
    id: 'CVE-2024-45813',
    pairs: [['9.0.0', '9.0.1'], ['8.2.0', '8.2.2']],
    prepare: (router) => {
      const routes = router()
      routes.on('GET', '/:a-:b-', () => {})
      return () => routes.find('GET', `/a${'-a'.repeat(16000)}/a`)
    }
  },
  {
    package: 'koa',
    id: 'CVE-2025-25200',
    pairs: [['2.15.3', '2.15.4']],
    prepare: (Koa) => {
      const app = new Koa({ proxy: true })
      const request = Object.create(app.request)
      Object.assign(request, { app, req: { socket: {}, headers: { 'x-forwarded-proto': `a${' '.repeat(16000)}b` } } })
      return () => request.protocol
    }
  },
  {
    package: 'ws',
    id: 'CVE-2021-32640',
    pairs: [['7.4.5', '7.4.6'], ['6.2.1', '6.2.2'], ['5.2.2', '5.2.3']],
    prepare: (WebSocket) => {
      const server = new WebSocket.Server({ noServer: true })
      const socket = Object.assign(new Duplex({ read () {}, write: (chunk, encoding, done) => done() }), {
        setTimeout () {},
        setNoDelay () {}
      })
      const headers = {
        upgrade: 'websocket',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version': '13',
        'sec-websocket-protocol': `b${' '.repeat(16000)}x`
      }
      return () => server.handleUpgrade({ method: 'GET', url: '/', headers }, socket, Buffer.alloc(0), () => {})
    }
  },
  {
    package: 'http-cache-semantics',
    id: 'CVE-2022-25881',
    pairs: [['4.1.0', '4.1.1']],
    prepare: (CachePolicy) => () => new CachePolicy({ headers: {} },
      { status: 200, headers: { 'cache-control': `a${' '.repeat(16000)}a` } })
  },
  {
    package: 'nodemailer',
    id: 'CVE-2025-14874',
    pairs: [['7.0.10', '7.0.11']],
    prepare: async (nodemailer, { load, as }) => {
      const parse = (await load(`${as}/lib/addressparser/index.js`)).default
      return () => parse(Array.from({ length: 2500 }, (_, i) => `g${i}: `).join(''))
    }
  },
  {
    package: 'body-parser',
    id: 'CVE-2024-45590',
    pairs: [['1.20.2', '1.20.3']],
    prepare: async (bodyParser) => {
      const { Readable } = require('node:stream')
      const body = `a${'[b]'.repeat(60000)}=1`
      const parse = bodyParser.urlencoded({ extended: true, limit: '10mb' })
      return () => new Promise((resolve) => {
        const request = Readable.from([Buffer.from(body)])
        Object.assign(request, { headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': `${body.length}` }, method: 'POST' })
        parse(request, {}, resolve)
      })
    }
  },
  {
    package: '@octokit/endpoint',
    id: 'CVE-2025-25285',
    pairs: [['10.1.2', '10.1.3'], ['9.0.5', '9.0.6']],
    prepare: ({ endpoint }) => () => endpoint.parse({
      ...endpoint.DEFAULTS,
      method: 'POST',
      url: '/graphql',
      mediaType: { previews: ['a'], format: '' },
      headers: { accept: 'a'.repeat(12000) }
    })
  },
  {
    package: 'axios',
    id: 'CVE-2021-3749',
    pairs: [['0.21.1', '0.21.2']],
    prepare: async (axios, { load, as }) => {
      const utils = (await load(`${as}/lib/utils.js`)).default
      return () => utils.trim(`a${' '.repeat(16000)}a`)
    }
  }
]
