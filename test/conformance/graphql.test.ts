import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sharedPath } from '../support/published/shared.ts'
import { type Graphql, graphqlOf } from '../handlers/graphql/support/graphqlNode.ts'
import { GRAPHQL_EXCEPTIONS } from './exceptions.ts'
import { openPublishedNode, type PublishedNode } from './publishedNode.ts'

setDefaultTimeout(120_000)

type Case = {
  readonly request: string
  readonly variables?: string
  readonly response: unknown
  readonly statusCode: number
}

const cases = sharedPath('conformance/graphql')
const genesis = sharedPath('conformance/hive-chain/testGenesis.json')
const blocks = sharedPath('conformance/hive-chain/testBlockchain.blocks')
const missing = cases === undefined || genesis === undefined || blocks === undefined

const names =
  cases === undefined
    ? []
    : readdirSync(cases).filter(name => name.endsWith('.json') && !GRAPHQL_EXCEPTIONS.has(name))

describe.skipIf(missing)(`given Besu's GraphQL cases${missing ? ' (../shared is not there)' : ''}`, () => {
  let node: PublishedNode
  let graphql: Graphql

  beforeAll(async () => {
    node = await openPublishedNode(genesis as string, blocks as string)
    graphql = graphqlOf(node)
  })
  afterAll(() => node.close())

  test.each(names)('when %s runs, then the answer is equal to the letter', async name => {
    const published = JSON.parse(readFileSync(join(cases as string, name), 'utf8')) as Case
    const { request, variables, response, statusCode } = published
    const reply = await graphql.ask(
      request,
      variables === undefined ? undefined : (JSON.parse(variables) as Record<string, unknown>),
    )
    expect(JSON.parse(reply.text)).toEqual(response)
    expect(reply.status).toBe(statusCode)
  })
})
