import { describe, expect, test } from 'bun:test'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { CODE_PART_BYTES, CODE_WHOLE_BYTES } from '../../../../core/store/limits.ts'
import type { BlockCommit } from '../../../../core/store/store.ts'
import { createFaultyDriver } from '../../../support/stores/faultyDriver.ts'
import { seededRandom } from '../../../support/random.ts'
import { rejection } from '../../../support/rejection.ts'
import { sampleChain } from '../../../support/chains/sampleChain.ts'

const chain = sampleChain({ seed: 6, blocks: 2, accounts: 4, slots: 2, changesMax: 3, transactionsMax: 3 })

const code = seededRandom(9).bytes(CODE_WHOLE_BYTES + CODE_PART_BYTES + 7)
const codeHash = keccak256(code)

/** A disk with a block that deploys the code. */
const diskWithCode = async (synchronous: boolean) => {
  const disk = createFaultyDriver(new Map(), { synchronous })
  const kv = keyValueOfDriver(disk.driver, 'synced')
  const store = await openChainStore(kv)
  const [first, second] = chain.commits as [BlockCommit, BlockCommit]
  await store.commit(first)
  await store.commit({ ...second, changes: { ...second.changes, codes: [{ codeHash, code }] } })
  return { disk, kv, store }
}

describe('given code of a megabyte and more', () => {
  for (const synchronous of [true, false])
    test(`when it is stored with ${synchronous ? 'synchronous' : 'asynchronous'} reads, then it is written and read in parts, and reads back`, async () => {
      const { disk, kv, store } = await diskWithCode(synchronous)
      const read = () => store.run(() => store.stateAt(1n).code(codeHash))
      expect(await read()).toEqual(code)
      await store.flush()
      expect(Buffer.from(await read()).equals(Buffer.from(code))).toBe(true)
      const again = await openChainStore(kv)
      const reread = await again.runAtOnce(() => again.stateAt(1n).code(codeHash))
      expect(Buffer.from(reread).equals(Buffer.from(code))).toBe(true)
      const written = disk.operations.flatMap(operation =>
        operation.kind === 'write' ? [operation.value?.length ?? 0] : [],
      )
      expect(Math.max(...written)).toBeLessThan(2 * CODE_PART_BYTES)
    })

  test('when a part is damaged, then the error says so', async () => {
    const { disk, kv, store } = await diskWithCode(true)
    await store.flush()
    const key = [...disk.image.keys()].find(name => name.startsWith('cp:') && name.endsWith(':2')) as string
    disk.flipBit(key, 1_000)
    const again = await openChainStore(kv)
    const error = await rejection(again.run(() => again.stateAt(1n).code(codeHash)))
    expect(error).toMatchObject({ code: 'STORE_CORRUPTION' })
    expect(String(error)).toContain('delete the views')
  })

  test('when there is none of that hash, then the error says that it is missing', async () => {
    const { store } = await diskWithCode(true)
    await store.flush()
    const error = await rejection(store.run(() => store.stateAt(1n).code(keccak256(codeHash))))
    expect(String(error)).toContain('it is missing')
  })
})
