import { describe, expect, test } from 'bun:test'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { createRpcApp, HTTP_DEFAULTS } from '../../../handlers/http/app.ts'
import { createGraphqlApp } from '../../../handlers/graphql/app.ts'
import { modelAccount, sampleChain } from '../../support/chains/sampleChain.ts'
import { openMovingReader } from '../../support/readers/movingReader.ts'

const HEAD = 30
const chain = sampleChain({ seed: 37, blocks: 40, accounts: 4, slots: 1, changesMax: 2, transactionsMax: 2 })
const ACCOUNT = chain.addresses[0] as Uint8Array
const commitAt = (number: number) => chain.commits[number] as (typeof chain.commits)[number]

const post = (path: string, body: unknown): Request =>
  new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const openClient = async (isPerRequest: boolean) => {
  const errors: string[] = []
  const reader = await openMovingReader(chain, HEAD, {
    isPerRequest,
    reportError: (_, error) => void errors.push(String(error)),
  })
  const app = createRpcApp(reader.context, HTTP_DEFAULTS)
  const graphql = createGraphqlApp(reader.context, {
    ...HTTP_DEFAULTS,
    complexityMax: 200,
    introspection: true,
  })
  return {
    ...reader,
    errors,
    ask: async (method: string, ...params: readonly unknown[]) =>
      (await (
        await app.fetch(post('/', { jsonrpc: '2.0', id: 1, method, params }), () => 'test')
      ).json()) as Record<string, unknown>,
    query: async (query: string) =>
      (await (await graphql.fetch(post('/graphql', { query }), () => 'test')).json()) as Record<
        string,
        unknown
      >,
  }
}

describe.each([
  { how: 'whose requests share reads', isPerRequest: false },
  { how: 'as a Worker has it', isPerRequest: true },
])('a reader $how, whose store damages what it reads', ({ isPerRequest }) => {
  test('given damage of one read, then the value is read again and the answer is right', async () => {
    const { ask, damageReads, errors } = await openClient(isPerRequest)
    const account = modelAccount(chain.states[HEAD] as (typeof chain.states)[number], ACCOUNT)
    damageReads(1)
    expect(await ask('eth_getTransactionCount', toHex(ACCOUNT), 'latest')).toMatchObject({
      result: toQuantity(account?.nonce ?? 0n),
    })
    damageReads(1)
    expect(await ask('eth_getBlockByNumber', toQuantity(7n), true)).toMatchObject({
      result: { hash: toHex(commitAt(7).hash) },
    })
    damageReads(1)
    expect(await ask('eth_getLogs', { fromBlock: '0x1', toBlock: '0x5' })).toHaveProperty('result')
    expect(errors).toEqual([])
  })

  test('given damage that stays, then client and log are told the same reason, and the repaired store answers', async () => {
    const { ask, query, damageReads, errors } = await openClient(isPerRequest)
    damageReads(-1)
    const reason = 'the shared store has a damaged value (segment:9): its checksum does not match'
    expect(await ask('eth_getBlockByNumber', '0x9', true)).toMatchObject({
      error: { code: -32603, data: reason },
    })
    expect(JSON.stringify(await query('{ block(number: 9) { transactions { hash } } }'))).toContain(reason)
    expect(errors).toEqual([`ReplicaFault: ${reason}`, `ReplicaFault: ${reason}`])
    damageReads(0)
    expect(await ask('eth_getBlockByNumber', '0x9', true)).toMatchObject({
      result: { hash: toHex(commitAt(9).hash) },
    })
  })

  test('given a store that is gone, then the client is told so', async () => {
    const { ask, setFailing } = await openClient(isPerRequest)
    setFailing(true)
    expect(await ask('eth_getBalance', toHex(ACCOUNT), 'latest')).toMatchObject({
      error: { code: -32603, data: 'the shared store cannot be read: it answers with an error' },
    })
  })
})
