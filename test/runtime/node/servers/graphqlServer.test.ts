import { describe, expect, test } from 'bun:test'
import { readArguments } from '../../../../runtime/cli/arguments.ts'
import { ignoredOptions } from '../../../../runtime/cli/ignored.ts'
import { NODE_OPTIONS, type NodeOptions } from '../../../../runtime/cli/nodeOptions.ts'
import { resolveOptions } from '../../../../runtime/cli/resolve.ts'
import { listenForGraphql } from '../../../../runtime/node/servers/graphqlServer.ts'
import { requireDistinctPorts } from '../../../../runtime/node/servers/servicePorts.ts'

const given = (...args: readonly string[]) =>
  resolveOptions(NODE_OPTIONS, readArguments(args, NODE_OPTIONS).given, {})

const options = (...args: readonly string[]): NodeOptions => given('--graphql-http-enabled', ...args).values

describe('the options of GraphQL', () => {
  test('have the defaults of Besu', () => {
    expect(given().values).toMatchObject({
      graphqlHttpEnabled: false,
      graphqlHttpHost: undefined,
      graphqlHttpPort: 8547,
      graphqlHttpCorsOrigins: [],
      graphqlMaxComplexity: 200,
      graphqlIntrospectionEnabled: true,
    })
  })

  test('a port of another service is refused', () => {
    expect(() => requireDistinctPorts(options('--graphql-http-port=8545'))).toThrow(
      "Port number '8545' has been specified multiple times. Please review the supplied configuration.",
    )
    requireDistinctPorts(options('--graphql-http-port=0', '--rpc-http-port=0'))
  })

  test('that do nothing without it are told', () => {
    const { values, sources } = given('--graphql-http-port=1', '--graphql-max-complexity=5')
    expect(ignoredOptions({ options: values, sources })).toContainEqual({
      ignored: '--graphql-http-port, --graphql-max-complexity',
      parent: '--graphql-http-enabled',
    })
  })
})

describe('the port of GraphQL', () => {
  test('is taken before there is anything to serve: who calls early waits', async () => {
    const listener = await listenForGraphql(options('--graphql-http-port=0'))
    expect(listener.hostname).toBe('127.0.0.1')
    const early = fetch(`http://127.0.0.1:${listener.port}/graphql`)
    let closed = 0
    listener.attach({ fetch: () => new Response('here'), close: () => void closed++ })
    expect(await (await early).text()).toBe('here')
    await listener.stop()
    expect(closed).toBe(1)
  })

  test('is let go, and who waits is told, when the node does not come up', async () => {
    const listener = await listenForGraphql(options('--graphql-http-port=0'))
    const early = fetch(`http://127.0.0.1:${listener.port}/graphql`)
    await Bun.sleep(20)
    await listener.stop()
    expect((await early).status).toBe(503)
  })

  test('that is taken is told as such', async () => {
    const listener = await listenForGraphql(options('--graphql-http-port=0'))
    expect(listenForGraphql(options(`--graphql-http-port=${listener.port}`))).rejects.toThrow(
      'already in use',
    )
    await listener.stop()
  })
})
