import { describe, expect, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { checkedValue, withChecksum } from '../../../../core/store/checksum.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { flushedHeightKey } from '../../../../core/store/keys.ts'
import { sampleChain } from '../../../support/chains/sampleChain.ts'
import { seededRandom } from '../../../support/random.ts'
import { createFaultyDriver, type Image, imageAfterKill } from '../../../support/stores/faultyDriver.ts'
import { expectChain } from '../../../support/stores/storeCheck.ts'

const HEAD = 19
const OPTIONS = { flushBlocks: 4 }
const chain = sampleChain({
  seed: 3,
  blocks: HEAD + 1,
  accounts: 5,
  slots: 2,
  changesMax: 3,
  transactionsMax: 2,
})
const HEIGHT_KEYS = [0, 1].map(flushedHeightKey)

const versionsIn = (image: Image): readonly (number | undefined)[] =>
  HEIGHT_KEYS.map(key => checkedValue(key, image.get(key))?.[0])

/** A store as the release before wrote it: version 1 of the views. */
const earlierImage = async (): Promise<Image> => {
  const { driver, image } = createFaultyDriver(undefined, { synchronous: true })
  const store = await openChainStore(keyValueOfDriver(driver, 'synced'), OPTIONS)
  for (const block of chain.commits) await store.commit(block)
  await store.flush()
  const earlier = new Map(image)
  for (const key of HEIGHT_KEYS) {
    const value = checkedValue(key, image.get(key)) as Uint8Array
    earlier.set(key, withChecksum(key, Uint8Array.of(1, ...value.subarray(1))))
  }
  return earlier
}

describe('given views of an earlier release', () => {
  test('when they are opened, then that release refuses them from the first write on, and a kill at any write loses nothing', async () => {
    const image = await earlierImage()
    expect(versionsIn(image)).toEqual([1, 1])
    const disk = createFaultyDriver(image, { synchronous: true })
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
    expect(versionsIn(disk.image)).toContain(3)
    await expectChain(store, chain, HEAD)
    expect(disk.operations[0]).toMatchObject({
      kind: 'write',
      key: expect.stringMatching(/^mark:/) as string,
    })
    const random = seededRandom(4)
    for (let stop = 0; stop <= disk.operations.length; stop++) {
      const { driver } = createFaultyDriver(imageAfterKill(disk.operations, stop, random, image))
      await expectChain(await openChainStore(keyValueOfDriver(driver, 'synced'), OPTIONS), chain, HEAD)
    }
  })

  test('when a chain has no views yet, then its first open writes them with a height that an earlier release refuses', async () => {
    const disk = createFaultyDriver(undefined, { synchronous: true })
    const first = await openChainStore(keyValueOfDriver(disk.driver, 'synced'))
    for (const block of chain.commits) await first.commit(block)
    expect(versionsIn(disk.image)).toEqual([undefined, undefined])
    // The process ends here.
    const stopped = createFaultyDriver(disk.image, { synchronous: true })
    const store = await openChainStore(keyValueOfDriver(stopped.driver, 'synced'))
    expect(versionsIn(stopped.image)).toContain(3)
    await expectChain(store, chain, HEAD)
  })
})
