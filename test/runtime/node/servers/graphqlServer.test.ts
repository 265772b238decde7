import { describe, expect, test } from 'bun:test'
import { ignoredOptions } from '../../../../runtime/cli/ignored.ts'
import type { NodeOptions } from '../../../../runtime/cli/nodeOptions.ts'
import { resolveNodeOptions } from '../../nodeOptions.ts'
import { listenForGraphql } from '../../../../runtime/node/servers/graphqlServer.ts'
import { requireDistinctPorts } from '../../../../runtime/node/servers/servicePorts.ts'

const given = (...args: readonly string[]) => resolveNodeOptions(args)

const options = (...args: readonly string[]): NodeOptions => given('--graphql-http-enabled', ...args).values

describe('given the options of GraphQL', () => {
  test('when none are set, then they are Besu’s defaults', () => {
    expect(given().values).toMatchObject({
      graphqlHttpEnabled: false,
      graphqlHttpHost: '127.0.0.1',
      graphqlHttpPort: 8547,
      graphqlHttpCorsOrigins: [],
      graphqlMaxComplexity: 200,
      graphqlIntrospectionEnabled: true,
    })
  })

  test('when the port is another service’s, then it is refused', () => {
    expect(() => requireDistinctPorts(options('--graphql-http-port=8545'))).toThrow(
      "Port number '8545' has been specified multiple times. Please review the supplied configuration.",
    )
    requireDistinctPorts(options('--graphql-http-port=0', '--rpc-http-port=0'))
  })

  test('when GraphQL is off, then options without effect are reported', () => {
    const { values, sources } = given('--graphql-http-port=1', '--graphql-max-complexity=5')
    expect(ignoredOptions({ options: values, sources })).toContainEqual({
      ignored: '--graphql-http-port, --graphql-max-complexity',
      parent: '--graphql-http-enabled',
    })
  })
})

describe('given the port of GraphQL', () => {
  test('when the node starts, then it is taken first, and early callers wait', async () => {
    const listener = await listenForGraphql(options('--graphql-http-port=0'))
    expect(listener.hostname).toBe('127.0.0.1')
    const early = fetch(`http://127.0.0.1:${listener.port}/graphql`)
    let closed = 0
    listener.attach({ fetch: () => new Response('here'), close: () => void closed++ })
    expect(await (await early).text()).toBe('here')
    await listener.stop()
    expect(closed).toBe(1)
  })

  test('when the node does not come up, then it is released, and waiting callers are answered', async () => {
    const listener = await listenForGraphql(options('--graphql-http-port=0'))
    const early = fetch(`http://127.0.0.1:${listener.port}/graphql`)
    await Bun.sleep(20)
    await listener.stop()
    expect((await early).status).toBe(503)
  })

  test('when it is taken, then the error says so', async () => {
    const listener = await listenForGraphql(options('--graphql-http-port=0'))
    expect(listenForGraphql(options(`--graphql-http-port=${listener.port}`))).rejects.toThrow(
      'already in use',
    )
    await listener.stop()
  })
})
