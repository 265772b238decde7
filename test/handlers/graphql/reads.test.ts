import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { ChainStore } from '../../../core/store/store.ts'
import { createRequestStore } from '../../../handlers/graphql/requestStore.ts'
import { type Sample, startSampleChain } from '../support/sampleChain.ts'
import { type Graphql, graphqlOf } from './support/graphqlNode.ts'
import { turns } from '../../support/turns.ts'

setDefaultTimeout(120_000)

/** What reads blocks from the store. */
const READS = ['header', 'record', 'logsOf', 'numberOfHash', 'transactionLocation', 'blockBytes'] as const

let sample: Sample
let graphql: Graphql
/** By what was read: `record 2`. */
let reads: Map<string, number>

const counting = (store: ChainStore): ChainStore => ({
  ...store,
  ...Object.fromEntries(
    READS.map(name => [
      name,
      (key: never) => {
        const read = `${name} ${String(key)}`
        reads.set(read, (reads.get(read) ?? 0) + 1)
        return store[name](key)
      },
    ]),
  ),
})

beforeAll(async () => {
  reads = new Map()
  sample = await startSampleChain()
  const { chain } = sample.node
  graphql = graphqlOf(sample.node, { context: { chain: { ...chain, store: counting(chain.store) } } })
})
afterAll(() => sample.node.close())

/** What one query reads, and how often. */
const readsOf = async (query: string): Promise<Record<string, number>> => {
  reads = new Map()
  await graphql.data(query)
  return Object.fromEntries(reads)
}

describe('given a query', () => {
  test('when it reads all receipts of a block, then the block is read once', async () => {
    const receipts = `transactions { hash index status gasUsed cumulativeGasUsed effectiveGasPrice from { address } to { address }
      createdContract { address } logs { index topics data account { address } transaction { hash } } block { hash number } raw rawReceipt }`
    expect(await readsOf(`{ block(number: 2) { number hash logsBloom ${receipts} } }`)).toEqual({
      'record 2': 1,
    })
  })

  test('when it reaches a block by several ways, then the block is read once', async () => {
    const hash = sample.hashes[1]?.[0]
    const query = `{ a: block(number: 2) { hash transactions { hash } logs(filter: {}) { transaction { hash } } }
      b: block(number: 2) { number } c: blocks(from: 1, to: 2) { transactionCount parent { number } }
      d: transaction(hash: "${hash}") { block { number } } e: transaction(hash: "${hash}") { status } }`
    const found = await readsOf(query)
    expect(Object.values(found).filter(count => count > 1)).toEqual([])
    expect(found['record 2']).toBe(1)
  })

  test('when it reads header fields, then no body is read', async () => {
    expect(
      await readsOf('{ blocks(from: 1, to: 3) { number hash gasUsed miner { address } proposer round } }'),
    ).toEqual({ 'header 1': 1, 'header 2': 1, 'header 3': 1 })
  })

  test('when it searches logs, then only blocks with logs are read, whole ones where it needs their transactions', async () => {
    const logs = '{ logs(filter: { fromBlock: 0, toBlock: 5 }) { index data'
    const narrow = await readsOf(`${logs} } }`)
    expect(Object.keys(narrow).filter(read => read.startsWith('record'))).toEqual([])
    expect(Object.values(narrow)).toEqual(Object.values(narrow).map(() => 1))
    const whole = await readsOf(`${logs} transaction { hash value } } }`)
    expect(Object.keys(whole).filter(read => read.startsWith('logsOf'))).toEqual([])
    expect(Object.values(whole)).toEqual(Object.values(whole).map(() => 1))
  })
})

describe('given the store of a request', () => {
  test('when a read fails, then it is not cached', async () => {
    let fail = true
    const { store } = sample.node.chain
    const flaky: ChainStore = {
      ...store,
      record: number => (fail ? Promise.reject(new Error('busy')) : store.record(number)),
    }
    const once = createRequestStore(flaky, () => undefined)
    expect(once.record(1n)).rejects.toThrow('busy')
    await turns(1)
    fail = false
    expect((await once.record(1n))?.block.header.number).toBe(1n)
    expect((await once.header(1n))?.number).toBe(1n)
  })
})
