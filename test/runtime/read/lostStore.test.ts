import { describe, expect, test } from 'bun:test'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { createRpcApp, HTTP_DEFAULTS } from '../../../handlers/http/app.ts'
import { modelAccount, sampleChain } from '../../support/chains/sampleChain.ts'
import { openMovingReader } from '../../support/readers/movingReader.ts'

const HEAD = 30
const chain = sampleChain({ seed: 36, blocks: 40, accounts: 4, slots: 1, changesMax: 2, transactionsMax: 2 })
const ACCOUNT = chain.addresses[0] as Uint8Array
const STRANGER = new Uint8Array(20).fill(0xee)
const commitAt = (number: number) => chain.commits[number] as (typeof chain.commits)[number]
const withTransaction = chain.commits.find(
  ({ block }) => block.header.number > 0n && block.transactions.length > 0,
)
const HASH = withTransaction?.block.transactions[0]?.hash as Uint8Array

const openClient = async (isPerRequest: boolean) => {
  const errors: unknown[] = []
  const reader = await openMovingReader(chain, HEAD, {
    isPerRequest,
    reportError: (_, error) => void errors.push(error),
  })
  const app = createRpcApp(reader.context, HTTP_DEFAULTS)
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const request = new Request('http://localhost/', {
      method: 'POST',
      headers: { host: 'localhost' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await (await app.fetch(request, () => 'test')).json()) as { result?: unknown; error?: unknown }
  }
  return { ...reader, ask }
}

const LOST = {
  error: { code: -32603, data: expect.stringContaining('the shared store does not have it') as string },
}

describe.each([
  { how: 'whose requests share reads', isPerRequest: false },
  { how: 'as a Worker has it', isPerRequest: true },
])('a reader $how, whose store loses the blocks that it answers from', ({ isPerRequest }) => {
  test.each([
    { what: 'is empty', height: -1 },
    { what: 'is filled again, and has reached block 12', height: 12 },
  ])(
    'given a store that $what, then no account reads as empty, no transaction as unknown, and no old value as a new one',
    async ({ height }) => {
      const { ask, refillTo, headNumber } = await openClient(isPerRequest)
      await refillTo(height)
      expect(await ask('eth_getBalance', toHex(STRANGER), 'latest')).toMatchObject(LOST)
      expect(await ask('eth_getTransactionCount', toHex(ACCOUNT), 'latest')).toMatchObject(LOST)
      expect(await ask('eth_getStorageAt', toHex(ACCOUNT), '0x0', 'latest')).toMatchObject(LOST)
      expect(await ask('eth_getTransactionReceipt', `0x${'ab'.repeat(32)}`)).toMatchObject(LOST)
      if (height < Number(withTransaction?.block.header.number))
        expect(await ask('eth_getTransactionByHash', toHex(HASH))).toMatchObject(LOST)
      expect(await ask('eth_blockNumber')).toMatchObject({ result: toQuantity(BigInt(HEAD)) })
      expect(headNumber()).toBe(HEAD)
    },
  )

  test('given a store that is filled again beyond its head, then it answers as before', async () => {
    const { ask, refillTo } = await openClient(isPerRequest)
    await refillTo(-1)
    expect(await ask('eth_getTransactionCount', toHex(ACCOUNT), 'latest')).toMatchObject(LOST)
    await refillTo(HEAD + 5)
    const account = modelAccount(chain.states[HEAD] as (typeof chain.states)[number], ACCOUNT)
    expect(await ask('eth_getTransactionCount', toHex(ACCOUNT), 'latest')).toMatchObject({
      result: toQuantity(account?.nonce ?? 0n),
    })
    expect(await ask('eth_getTransactionByHash', toHex(commitAt(HEAD + 1).hash))).toMatchObject({
      result: null,
    })
  })
})
