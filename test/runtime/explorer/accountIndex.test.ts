import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { HistoryPruned } from '../../../core/store/historyPruned.ts'
import { createRpcContext } from '../../../handlers/http/app.ts'
import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import {
  type AccountIndexOptions,
  openAccountIndex,
  type RunningAccountIndex,
} from '../../../runtime/explorer/accountIndex.ts'
import { CHAIN_ID, privateKeyOf } from '../../compatibility/contract.ts'
import { startTestNode, type TestNode } from '../../handlers/support/testNode.ts'
import { withFolder } from '../folder.ts'

const SENDER = privateKeyToAccount(privateKeyOf(0))
const FRIEND = privateKeyToAccount(privateKeyOf(5)).address
const STRANGER = '0x00000000000000000000000000000000000a11ce'

/** Deploys code that consists of STOP. */
const CREATION = '0x6001600081600b8239f300'

type Page = {
  readonly txs: readonly { readonly hash: Hex; readonly blockNumber: Hex }[]
  readonly receipts: readonly { readonly transactionHash: Hex; readonly timestamp: number }[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

describe('given an index of transactions by account', () => {
  let node: TestNode
  let index: RunningAccountIndex
  let context: RpcContext
  let nonce = 0
  /** Hashes to FRIEND, the earliest first. */
  const sent: Hex[] = []

  const send = async (transaction: { readonly to?: Hex; readonly data?: Hex }): Promise<Hex> => {
    const raw = await SENDER.signTransaction({
      ...transaction,
      chainId: CHAIN_ID,
      nonce: nonce++,
      gas: 100_000n,
      gasPrice: 10n ** 10n,
      type: 'legacy',
    })
    return (await node.call('eth_sendRawTransaction', raw)) as Hex
  }
  const open = (
    path = ':memory:',
    chain: AccountIndexOptions['chain'] = node.chain,
  ): Promise<RunningAccountIndex> =>
    openAccountIndex({
      chain,
      first: () => 0n,
      path,
      scheduler: requestScheduler(),
      log: { error: (text: string) => expect(text).toBe('') } as never,
    })
  const call = async (name: string, ...params: readonly unknown[]): Promise<unknown> =>
    await METHODS.find(method => method.name === name)?.handle({ params, expired: () => false }, context)
  const hashesOf = ({ txs }: Page): readonly Hex[] => txs.map(({ hash }) => hash)

  let created: Hex

  beforeAll(async () => {
    node = await startTestNode()
    // Two blocks with three transactions each.
    for (let block = 0; block < 2; block++) {
      for (let count = 0; count < 3; count++) sent.push(await send({ to: FRIEND }))
      await node.mine()
    }
    created = await send({ data: CREATION })
    await node.mine()
    index = await open()
    await index.settled()
    context = createRpcContext({ ...node.context, accountIndex: index })
  })
  afterAll(async () => {
    await index.stop()
    await node.close()
  })

  test('when an account is searched, then pages hold whole blocks, the latest transaction first', async () => {
    const first = (await call('ots_searchTransactionsBefore', FRIEND, 0, 2)) as Page
    expect(hashesOf(first)).toEqual(sent.slice(3).toReversed())
    expect([first.firstPage, first.lastPage]).toEqual([true, false])
    expect(first.receipts.map(({ transactionHash }) => transactionHash)).toEqual([...hashesOf(first)])
    expect(typeof first.receipts[0]?.timestamp).toBe('number')
    const second = (await call('ots_searchTransactionsBefore', FRIEND, 2, 2)) as Page
    expect(hashesOf(second)).toEqual(sent.slice(0, 3).toReversed())
    expect([second.firstPage, second.lastPage]).toEqual([false, true])
    const after = (await call('ots_searchTransactionsAfter', FRIEND, 0, 2)) as Page
    expect(hashesOf(after)).toEqual(sent.slice(0, 3).toReversed())
    expect([after.firstPage, after.lastPage]).toEqual([false, true])
    const latest = (await call('ots_searchTransactionsAfter', FRIEND, 1, 25)) as Page
    expect(hashesOf(latest)).toEqual(sent.slice(3).toReversed())
    expect([latest.firstPage, latest.lastPage]).toEqual([true, false])
  })

  test('when an account has no transactions, then the page is empty, the first and the last', async () => {
    expect(await call('ots_searchTransactionsBefore', STRANGER, 0, 25)).toEqual({
      txs: [],
      receipts: [],
      firstPage: true,
      lastPage: true,
    })
  })

  test('when a contract is looked up, then its creator is known', async () => {
    const { contractAddress } = (await node.call('eth_getTransactionReceipt', created)) as {
      readonly contractAddress: Hex
    }
    expect(await call('ots_getContractCreator', contractAddress)).toEqual({
      hash: created,
      creator: SENDER.address.toLowerCase(),
    })
    expect(await call('ots_getContractCreator', FRIEND)).toBeNull()
  })

  test('when the node has no index, then the methods are not enabled', () => {
    const without = createRpcContext({ ...node.context, accountIndex: undefined })
    const search = METHODS.find(({ name }) => name === 'ots_getApiLevel')
    expect(() => search?.handle({ params: [], expired: () => false }, without)).toThrow('Method not enabled')
  })

  test('when the chain goes back and on, or the node starts again, then the index follows', async () => {
    await withFolder(async folder => {
      const path = join(folder, 'index.sqlite')
      const first = await open(path)
      await first.settled()
      first.rewind(0n)
      await first.settled()
      const address = Uint8Array.fromHex(FRIEND.slice(2))
      expect(first.before(address, 100n, 10)).toHaveLength(6)
      await first.stop()
      const again = await open(path)
      expect(again.before(address, 100n, 10)).toHaveLength(6)
      const more = await send({ to: FRIEND })
      await node.mine()
      await again.settled()
      await index.settled()
      expect(again.before(address, 100n, 10)).toHaveLength(7)
      expect(hashesOf((await call('ots_searchTransactionsBefore', FRIEND, 0, 1)) as Page)).toEqual([more])
      await again.stop()
    })
  })

  test('when a block is removed while the index reads it, then the index goes on from the first kept block', async () => {
    const { store } = node.chain
    let start = 0n
    const removing: typeof store.record = number => {
      if (number === 2n) start = 4n
      if (number >= start) return store.record(number)
      return Promise.reject(new HistoryPruned('block', Number(number), Number(start)))
    }
    const chain = { ...node.chain, store: { ...store, record: removing, historyStart: () => start } }
    const kept = await open(':memory:', chain)
    await kept.settled()
    const address = Uint8Array.fromHex(FRIEND.slice(2))
    const blocks = index.before(address, 100n, 10).filter(({ block }) => block >= 4n)
    expect(blocks.length).toBeGreaterThan(0)
    expect(kept.before(address, 100n, 10)).toEqual(blocks)
    await kept.stop()
  })
})
