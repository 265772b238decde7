import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { requestScheduler } from '../../../../handlers/inbound/requestScheduler.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { RPC_DEFAULTS, type RpcHost } from '../../../../handlers/rpc/context.ts'
import { createFilterRegistry } from '../../../../handlers/rpc/filters/registry.ts'
import type { JsonPieces } from '../../../../handlers/rpc/json/jsonPieces.ts'
import { readLogFilter } from '../../../../handlers/rpc/logs/filter.ts'
import { LOGS_MAX } from '../../../../handlers/rpc/logs/search.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { logChain, type LogsOfBlock, numberedLog } from '../../../support/chains/logChain.ts'
import { rejection } from '../../../support/rejection.ts'

setDefaultTimeout(120_000)

const NEVER = (): boolean => false
const log = numberedLog(1, [1])
const blockOf = (count: number): LogsOfBlock => [Array.from({ length: count }, () => log)]

/** A registry over a chain of a genesis block, to which blocks with so many logs can be added. */
const start = async () => {
  const store = await openChainStore(keyValueOfDriver(openMemoryDriver(), 'none'))
  const [genesis] = [...logChain([[]])]
  let parent = genesis as NonNullable<typeof genesis>
  await store.commit(parent)
  const chain = { store, head: () => store.head() } as unknown as Chain
  let id = 0
  const registry = createFilterRegistry({
    chain,
    pool: { onAdded: () => () => undefined },
    nowMs: () => Date.now(),
    scheduler: requestScheduler(),
    options: RPC_DEFAULTS,
    randomBytes: (length: number) => new Uint8Array(length).fill(++id),
  } as unknown as RpcHost)
  const add = async (...counts: readonly number[]): Promise<void> => {
    for (const commit of logChain(counts.map(blockOf), parent)) {
      await store.commit(commit)
      parent = commit
    }
  }
  const poll = async (filter: string, expired = NEVER): Promise<number> => {
    const found = await registry.changes(filter, expired)
    return (JSON.parse((found as JsonPieces).text) as unknown[]).length
  }
  return { registry, add, poll, close: () => store.close() }
}

describe('given a log filter that is polled', () => {
  test('when it has more logs than one answer, then the rest comes with the next polls', async () => {
    const { registry, add, poll, close } = await start()
    const filter = registry.newLogFilter(readLogFilter({}))
    const part = LOGS_MAX / 2
    await add(part, part, part, 1)
    const polled: number[] = []
    for (let i = 0; i < 4; i++) polled.push(await poll(filter))
    expect(polled.reduce((sum, count) => sum + count)).toBe(3 * part + 1)
    expect(polled.at(-1)).toBe(0)
    await close()
  })

  test('when one block has more logs than an answer can have, then it is reported once and skipped', async () => {
    const { registry, add, poll, close } = await start()
    const filter = registry.newLogFilter(readLogFilter({}))
    await add(LOGS_MAX + 1, 3)
    expect(String(await rejection(poll(filter)))).toContain('more logs than the node sends')
    expect(await poll(filter)).toBe(3)
    await close()
  })

  test('when a poll times out, then nothing is lost', async () => {
    const { registry, add, poll, close } = await start()
    const logs = registry.newLogFilter(readLogFilter({}))
    const blocks = registry.newBlockFilter()
    await add(2, 3)
    const late = (): boolean => true
    expect(String(await rejection(poll(logs, late)))).toContain('Timeout')
    expect(await poll(logs)).toBe(5)
    expect(String(await rejection(registry.changes(blocks, late)))).toContain('Timeout')
    expect(await registry.changes(blocks, NEVER)).toHaveLength(2)
    await close()
  })
})
