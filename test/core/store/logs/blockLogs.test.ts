import { expect, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import type { BlockLogs } from '../../../../core/store/logs/blockLogs.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { commitAll } from '../../../support/chains/logSearch.ts'
import { sampleChain } from '../../../support/chains/sampleChain.ts'

test('given the logs of a block, when they are read from its segment or its record, then they are equal', async () => {
  const chain = sampleChain({
    seed: 4,
    blocks: 40,
    accounts: 3,
    slots: 1,
    changesMax: 1,
    transactionsMax: 9,
  })
  const kv = keyValueOfDriver(openMemoryDriver(), 'none')
  await commitAll(await openChainStore(kv), chain.commits)
  const store = await openChainStore(kv)
  for (const { block, hash, receipts } of chain.commits) {
    const { number, timestamp } = block.header
    const fromSegment = (await store.logsOf(number)) as BlockLogs
    await store.record(number)
    const fromRecord = (await store.logsOf(number)) as BlockLogs
    for (const logs of [fromSegment, fromRecord]) {
      expect([logs.number, logs.hash, logs.timestamp]).toEqual([number, hash, timestamp])
      expect(logs.receipts.map(each => each.logs)).toEqual(receipts.map(each => each.logs))
      expect(block.transactions.map((_, index) => logs.transactionHash(index))).toEqual(
        block.transactions.map(transaction => transaction.hash),
      )
    }
  }
  expect(await store.logsOf(40n)).toBeUndefined()
})
