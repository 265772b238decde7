import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { type Graphql, graphqlOf } from './support/graphqlNode.ts'

setDefaultTimeout(120_000)

let node: TestNode
let graphql: Graphql

beforeAll(async () => {
  node = await startTestNode()
  graphql = graphqlOf(node)
})
afterAll(() => node.close())

const CHAIN_ID = { data: { chainID: '0x539' } }
const post = (body: string, contentType?: string) =>
  graphql.send('/graphql', {
    method: 'POST',
    body,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })

describe('given a query', () => {
  test('when it comes in the URL of a GET, then variables and operation name are read, too', async () => {
    const query = 'query A { chainID } query B($n: Long) { block(number: $n) { number } }'
    const variables = JSON.stringify({ n: '0x0' })
    const response = await graphql.send(
      `/graphql?${new URLSearchParams({ query, variables, operationName: 'B' })}`,
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({ data: { block: { number: '0x0' } } })
  })

  test('when it comes as JSON in a POST, then parameters of the content type are ignored', async () => {
    const response = await post(JSON.stringify({ query: '{ chainID }' }), 'Application/JSON; charset=utf-8')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(CHAIN_ID)
  })

  test.each(['application/graphql', 'text/plain', undefined])(
    'when the content type is %p, then the whole body is the query',
    async contentType => {
      const response = await post('\n { chainID } ', contentType)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(CHAIN_ID)
    },
  )

  test('when the client accepts compression, then the answer is compressed where that pays or nothing else is accepted', async () => {
    const name = 'a'.repeat(200)
    const query = `{ ${Array.from({ length: 90 }, (_, i) => `${name}${i}: chainID`).join(' ')} }`
    const ask = (headers: Record<string, string>) =>
      graphql.send('/graphql', { method: 'POST', body: query, headers })
    const zipped = await ask({ 'accept-encoding': 'gzip' })
    const plain = await ask({})
    expect([zipped.status, zipped.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    expect(zipped.headers.get('vary')).toBe('accept-encoding')
    expect(gunzipSync(new Uint8Array(await zipped.arrayBuffer())).toString()).toBe(await plain.text())
    const headers = { 'accept-encoding': 'deflate, identity;q=0' }
    const short = await graphql.send('/graphql?query={chainID}', { headers })
    expect(short.headers.get('content-encoding')).toBe('deflate')
  })

  test('when it is sent to /graphql/, then it is redirected', async () => {
    expect((await graphql.send('/graphql?query={chainID}')).status).toBe(200)
    const response = await graphql.send('/graphql/?query={chainID}')
    expect([response.status, response.headers.get('location')]).toEqual([308, '../graphql?query={chainID}'])
  })

  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('when a browser sends it by GET for a page that is %s, then the status is %i', async (site, status) => {
    const headers = { 'sec-fetch-site': site }
    expect((await graphql.send('/graphql?query={chainID}', { headers })).status).toBe(status)
    const post = { method: 'POST', body: '{chainID}', headers }
    expect((await graphql.send('/graphql', post)).status).toBe(200)
  })

  test('when a mutation comes by GET, then it is refused: a link on a foreign page could send it', async () => {
    const query = encodeURIComponent('mutation { sendRawTransaction(data: "0x") }')
    const response = await graphql.send(`/graphql?query=${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [{ message: 'Can only perform a mutation operation from a POST request.' }],
    })
  })

  test('when the node indents its JSON, then the answer is indented', async () => {
    const { options } = node.context
    const pretty = graphqlOf(node, { context: { options: { ...options, prettyPrint: true } } })
    expect((await pretty.ask('{ chainID }')).text).toBe(JSON.stringify(CHAIN_ID, undefined, 2))
    expect((await graphql.ask('{ chainID }')).text).toBe(JSON.stringify(CHAIN_ID))
  })
})

describe('given a request that is not a query', () => {
  test.each([
    ['GET without one', () => graphql.send('/graphql')],
    ['an empty body', () => post('')],
    ['JSON without one', () => post('{}', 'application/json')],
    ['a null query', () => post('{"query":null}', 'application/json')],
  ] as const)('when it is %s, then it has status 400 with a syntax error', async (_name, send) => {
    const response = await send()
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      errors: [
        {
          message: "Invalid Syntax : offending token '<EOF>' at line 1 column 1",
          locations: [{ line: 1, column: 1 }],
          extensions: { classification: 'InvalidSyntax' },
        },
      ],
    })
  })

  test.each([
    ['a body that is no JSON', () => post('{', 'application/json')],
    ['a body that is a list', () => post('[{"query":"{chainID}"}]', 'application/json')],
    ['a query that is no string', () => post('{"query":1}', 'application/json')],
    ['variables that are no object', () => post('{"query":"{chainID}","variables":[]}', 'application/json')],
    ['variables in a URL that are no JSON', () => graphql.send('/graphql?query={chainID}&variables={')],
  ] as const)('when it is %s, then it has status 400', async (_name, send) => {
    const response = await send()
    expect(response.status).toBe(400)
    const { errors } = (await response.json()) as { errors: readonly { message: string }[] }
    expect(errors).toHaveLength(1)
  })
})

describe('given the paths around the endpoint', () => {
  test.each(['GET', 'POST'])('when %s / is requested, then it leads to the endpoint', async method => {
    const response = await graphql.send('/', { method })
    expect(response.status).toBe(308)
    expect(response.headers.get('location')).toBe('/graphql')
    expect(await response.text()).toBe('')
  })

  test('when other paths or methods are requested, then they are not found or not allowed', async () => {
    const unknown = await graphql.send('/graphql/more')
    expect([unknown.status, await unknown.text()]).toEqual([
      404,
      '<html><body><h1>Resource not found</h1></body></html>',
    ])
    expect((await graphql.send('/graphql', { method: 'PUT' })).status).toBe(405)
    expect((await graphql.send('/', { method: 'DELETE' })).status).toBe(405)
  })

  test('when a body is too long, then it is refused, with or without a declared length', async () => {
    const small = graphqlOf(node, { bodyBytesMax: 20 })
    const body = `{ chainID } #${'x'.repeat(20)}`
    const told = await small.send('/graphql', {
      method: 'POST',
      body,
      headers: { 'content-length': String(body.length) },
    })
    expect(told.status).toBe(413)
    const stream = new Blob([body]).stream()
    expect((await small.send('/graphql', { method: 'POST', body: stream })).status).toBe(413)
  })

  test('when the host is not allowed, then the request is refused', async () => {
    const response = await graphql.send('/graphql?query={chainID}', { headers: { host: 'evil.example' } })
    expect(response.status).toBe(403)
    expect(await response.text()).toBe(
      '{"message":"Host not authorized. --host-allowlist names the hosts that are."}',
    )
  })
})

describe('given a browser', () => {
  const from = (app: Graphql, origin: string, host = 'localhost:8547') =>
    app.send('/graphql?query={chainID}', { headers: { origin, host } })

  test('when its page has another origin, then it is refused unless the origin is allowed', async () => {
    const refused = await from(graphql, 'https://app.example')
    expect(refused.status).toBe(403)
    expect(await refused.text()).toBe(
      'Origin not allowed. --graphql-http-cors-origins names the origins that are.',
    )
    const open = graphqlOf(node, { corsOrigins: ['https://app.*'] })
    const allowed = await from(open, 'https://app.example')
    expect(allowed.status).toBe(200)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
    const preflight = await open.send('/graphql', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
  })

  test('when its page is this node’s, then it is served', async () => {
    expect((await from(graphql, 'http://localhost:8547')).status).toBe(200)
    expect((await from(graphql, 'http://localhost:9999')).status).toBe(403)
  })

  test('when every host is allowed, then a foreign name of this node gives no access', async () => {
    const everyHost = graphqlOf(node, { hostAllowlist: ['*'] })
    expect((await from(everyHost, 'http://evil.example', 'evil.example')).status).toBe(403)
    expect((await from(everyHost, 'http://10.0.0.7:8547', '10.0.0.7:8547')).status).toBe(200)
  })
})
