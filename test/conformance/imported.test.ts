import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createRpcApp, HTTP_DEFAULTS } from '../../handlers/http/app.ts'
import { sharedPath } from '../support/published/shared.ts'
import { openPublishedNode, type PublishedNode } from './publishedNode.ts'

setDefaultTimeout(120_000)

type Json = Record<string, unknown>
type Reply = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const askerOf = ({ context }: PublishedNode) => {
  const { fetch } = createRpcApp(context, HTTP_DEFAULTS)
  return async (method: string, ...params: readonly unknown[]): Promise<Reply> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { host: 'localhost' }
    const response = await fetch(new Request('http://localhost/', { method: 'POST', body, headers }))
    return (await response.json()) as Reply
  }
}

/** A chain that a beacon chain has taken over, and one of proof of work whose rules know of none. */
const CHAINS = [
  {
    name: 'execution-apis',
    genesis: 'conformance/execution-apis/genesis.json',
    blocks: 'conformance/execution-apis/chain.rlp',
    isTakenOver: true,
    withOmmers: '0x3',
  },
  {
    name: 'hive',
    genesis: 'conformance/hive-chain/testGenesis.json',
    blocks: 'conformance/hive-chain/testBlockchain.blocks',
    isTakenOver: false,
    withOmmers: '0x4',
  },
] as const

for (const { name, isTakenOver, withOmmers, ...paths } of CHAINS) {
  const [genesis, blocks] = [sharedPath(paths.genesis), sharedPath(paths.blocks)]
  const missing = genesis === undefined || blocks === undefined

  describe.skipIf(missing)(`given the ${name} chain${missing ? ' (../shared is not there)' : ''}`, () => {
    let node: PublishedNode
    let ask: ReturnType<typeof askerOf>
    beforeAll(async () => {
      node = await openPublishedNode(genesis as string, blocks as string)
      ask = askerOf(node)
    })
    afterAll(() => node.close())

    const block = async (number: string): Promise<Json> =>
      (await ask('eth_getBlockByNumber', number, false)).result as Json

    test('when blocks have a difficulty that counts, then they have a total difficulty', async () => {
      const [worked, last] = [await block('0x2'), await block('latest')]
      const sum = (await Promise.all(['0x0', '0x1', '0x2'].map(block))).reduce(
        (total, { difficulty }) => total + BigInt(difficulty as string),
        0n,
      )
      expect(worked['totalDifficulty']).toBe(isTakenOver ? undefined : `0x${sum.toString(16)}`)
      expect(last['difficulty']).toBe('0x0')
      expect(last).not.toHaveProperty('totalDifficulty')
    })

    test('when an ommer is read, then it is a block without transactions and ommers', async () => {
      const { hash, uncles } = await block(withOmmers)
      const [first] = uncles as string[]
      const { result } = await ask('eth_getUncleByBlockNumberAndIndex', withOmmers, '0x0')
      expect(result).toMatchObject({ hash: first, uncles: [], transactions: [] })
      expect((result as Json)['totalDifficulty']).toBe(isTakenOver ? undefined : '0x0')
      expect((await ask('eth_getUncleByBlockHashAndIndex', hash, '0x0')).result).toEqual(result)
      expect((await ask('eth_getUncleByBlockHashAndIndex', hash, '0x7')).result).toBeNull()
    })

    test.each(['safe', 'finalized'])(
      'when a beacon chain sets the %s block, then it is the head',
      async tag => {
        const reply = await ask('eth_getBlockByNumber', tag, false)
        if (isTakenOver) expect(reply.result).toEqual(await block('latest'))
        else expect(reply.error).toEqual({ code: -39001, message: 'Unknown block' })
      },
    )
  })
}
