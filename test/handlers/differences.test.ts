import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ANSWER_ROWS } from './differences/answers.ts'
import { CALL_ROWS } from './differences/calls.ts'
import { GRAPHQL_ROWS } from './differences/graphql.ts'
import { HTTP_ROWS } from './differences/http.ts'
import { PARAMETER_ROWS } from './differences/parameters.ts'
import { NETWORK, type World } from './differences/row.ts'
import { graphqlOf } from './graphql/support/graphqlNode.ts'
import { startSampleChain } from './support/sampleChain.ts'
import { startTestNode, VALIDATOR } from './support/testNode.ts'
import { votesInMemory } from './support/votes.ts'

// Contracts are compiled first.
setDefaultTimeout(120_000)

const README = readFileSync(new URL('../../handlers/README.md', import.meta.url), 'utf8')
/** What the page says of Besu, each run of spaces as one. */
const PAGE = README.slice(README.indexOf('## Differences from Besu')).replace(/\s+/g, ' ')

const ROWS = [...CALL_ROWS, ...PARAMETER_ROWS, ...ANSWER_ROWS, ...HTTP_ROWS, ...GRAPHQL_ROWS]

describe('given the differences seen beside a live Besu', () => {
  let world: World
  beforeAll(async () => {
    const host = { votes: votesInMemory(), network: NETWORK, coinbase: VALIDATOR }
    const apis = ['ETH', 'NET', 'WEB3', 'QBFT', 'TXPOOL', 'DEBUG', 'TRACE', 'ADMIN']
    const sample = await startSampleChain({ rpc: { apis }, host })
    const { node } = sample
    const beforeCancun = await startTestNode({
      rpc: { apis },
      host,
      genesis: genesis => {
        const qbft = {
          epochLength: 30_000,
          blockPeriodSeconds: 1,
          requestTimeoutSeconds: 4,
          blockReward: '5',
        }
        genesis['config'] = { chainId: 1337, londonBlock: 0, qbft }
      },
    })
    world = {
      sample,
      graphql: graphqlOf(node),
      beforeCancun,
      rpc: (method, ...params) => node.rpc(method, ...params),
      http: async (path, init = {}) =>
        await node.fetch(new Request(`http://localhost${path}`, { ...init, headers: { host: 'localhost' } })),
    }
  })
  afterAll(async () => {
    await world.sample.node.close()
    await world.beforeCancun.close()
  })

  test.each(ROWS.map(row => [row.what, row] as const))(
    'when %s is compared, then it is equal, or handlers/README.md lists it with its reason',
    async (_, { ask, answer, because }) => {
      expect(await ask(world)).toEqual(answer)
      if (because !== undefined) expect(PAGE).toContain(because)
    },
  )
})
