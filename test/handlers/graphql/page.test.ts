import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parse, validate } from 'graphql'
import { EXAMPLES } from '../../../handlers/graphql/page.ts'
import { createGraphqlSchema } from '../../../handlers/graphql/schema/schema.ts'
import { createSubscriptionRegistry } from '../../../handlers/graphql/subscriptions/registry.ts'
import { type Server, serve } from '../../../runtime/serving/serve.ts'
import { CHROMIUM, openPage } from '../../support/programs/chromium.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { type Graphql, graphqlOf } from './support/graphqlNode.ts'

setDefaultTimeout(120_000)

let node: TestNode
let graphql: Graphql
let server: Server
let url: string

beforeAll(async () => {
  node = await startTestNode()
  for (let count = 0; count < 3; count++) await node.mine()
  graphql = graphqlOf(node)
  server = await serve({
    hostname: '127.0.0.1',
    portOption: 'port',
    hostOption: 'graphql-http-host',
    port: 0,
    fetch: (request, peer) => graphql.fetch(request, peer),
    bodyBytesMax: 1_000_000,
  })
  url = `http://127.0.0.1:${server.port}`
})
afterAll(async () => {
  graphql.close()
  await server.stop()
  await node.close()
})

describe('given GraphiQL', () => {
  test('when a browser requests it, then it is served whole, and compressed where accepted; programs get none', async () => {
    const page = await graphql.send('/graphql', {
      headers: { accept: 'text/html,application/xhtml+xml;q=0.9', 'accept-encoding': 'gzip, br' },
    })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-encoding')).toBe('gzip')
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'")
    const text = new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await page.arrayBuffer())))
    expect(text).not.toMatch(/<(?:script|link)[^>]+(?:src|href)="?(?:https?:)?\/\//)
    const plain = await graphql.send('/graphql', { headers: { accept: 'text/html' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(text)
    expect((await graphql.send('/graphql', { headers: { accept: '*/*' } })).status).toBe(400)
  })

  test('when it opens, then its three examples have answers', async () => {
    const schema = createGraphqlSchema(createSubscriptionRegistry())
    expect(EXAMPLES).toHaveLength(3)
    for (const query of EXAMPLES) {
      expect(validate(schema, parse(query))).toEqual([])
      expect(Object.keys(await graphql.data(query))).not.toEqual([])
    }
  })

  test.skipIf(CHROMIUM === undefined)(
    `when a browser reaches this node alone, then it runs an example${CHROMIUM === undefined ? ' (no chromium is installed)' : ''}`,
    async () => {
      const page = await openPage(CHROMIUM as string)
      try {
        await page.open(url)
        await page.until("document.querySelector('.graphiql-execute-button') !== null")
        // The schema came, so that the editor knows the fields.
        await page.until(
          "document.querySelector('.graphiql-container') !== null && document.readyState === 'complete'",
        )
        await page.evaluate("document.querySelector('.graphiql-execute-button').click()")
        const result = "(document.querySelector('.result-window')?.innerText ?? '')"
        await page.until(`${result}.includes('"number"')`)
        const shown = String(await page.evaluate(result)).replace(/\s+/g, ' ')
        expect(shown).toContain('"number": "0x3"')
        expect(shown).toContain('"round": "0x0"')
        const foreign = page.requested.filter(
          address => !address.startsWith(`${url}/`) && !/^(?:data|blob|about):/.test(address),
        )
        expect(foreign).toEqual([])
        expect(page.failures).toEqual([])
      } finally {
        await page.close()
      }
    },
  )
})
