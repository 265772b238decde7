import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { POSITIONS_FEATURE } from '../../../core/qbft/codec/position.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { segmentKey } from '../../../core/store/keys.ts'
import type { Network, Peer } from '../../../p2p/network.ts'
import { recordInStorage } from '../../../runtime/consensus/record/recordFile.ts'
import { readRestartRecord } from '../../../runtime/consensus/record/recordStore.ts'
import { openMemoryDriver } from '../../../runtime/drivers/memory.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { genesisText, testAddress } from '../genesis.ts'
import { heads, type Running, runConsensus } from './running.ts'
import { turns } from '../../support/turns.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const KEYS = [1, 2, 3, 4]
/** Rounds so long that none ends on a busy machine: a validator that is in another one misses a block, and nobody gives it here. */
const REQUEST_TIMEOUT_MS = 2_000
/** It has come to the chain of every validator and to the disk of none. */
const LOST = 2

const peerOf = (key: number): Peer =>
  ({
    address: testAddress(key),
    status: { neighbours: [], features: [POSITIONS_FEATURE] },
  }) as unknown as Peer

/** Four validators in this process, each hearing at once what another one says. */
const runFour = async (storageOf: (key: number) => KeyValueStore): Promise<readonly Running[]> => {
  const genesis = genesisText({ validators: KEYS, qbft: { xblockperiodmilliseconds: 50 } })
  const nodes = new Map<string, Running>()
  for (const key of KEYS)
    nodes.set(
      toHex(testAddress(key)),
      await runConsensus(genesis, {
        key,
        storage: storageOf(key),
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
      }),
    )
  for (const key of KEYS) {
    const network: Pick<Network, 'peers' | 'sendConsensus' | 'reportMisbehaviour'> = {
      peers: () => KEYS.filter(other => other !== key).map(peerOf),
      sendConsensus: (to, code, data) => {
        for (const one of to) nodes.get(toHex(one))?.running.message(peerOf(key), code, data)
        return to.length
      },
      reportMisbehaviour: () => undefined,
    }
    nodes.get(toHex(testAddress(key)))?.running.attach(network as Network)
  }
  return [...nodes.values()]
}

const numbersOf = (nodes: readonly Running[]): readonly bigint[] =>
  nodes.map(({ chain }) => chain.head().header.number)

describe('given four validators whose disks have not taken the head yet', () => {
  test('when the power fails for all of them, then nothing was signed on it, and it comes back as it was', async () => {
    const drivers = KEYS.map(() => openMemoryDriver())
    const diskOf = (key: number): KeyValueStore =>
      keyValueOfDriver(drivers[key - 1] as ReturnType<typeof openMemoryDriver>, 'none')
    const { promise: powerCut, reject: cutPower } = Promise.withResolvers<void>()
    let held = 0
    const before = await runFour(key => ({
      ...diskOf(key),
      setAllDurably: undefined,
      setDurably: async entry => {
        if (entry.key === segmentKey(LOST)) {
          held++
          await powerCut
        }
        await diskOf(key).setDurably(entry)
      },
    }))
    await Promise.all(before.map(({ chain }) => heads(chain, LOST)))
    const hash: Hash = (before[0] as Running).chain.head().hash
    await until(() => held === KEYS.length)
    await turns(100)
    expect(numbersOf(before)).toEqual(KEYS.map(() => BigInt(LOST)))
    for (const key of KEYS)
      expect(
        (await readRestartRecord(recordInStorage(diskOf(key)), 1n, logOf('validator'))).record?.sequence,
      ).toBe(BigInt(LOST))
    cutPower(new Error('the power is gone'))
    await Promise.all(before.map(({ running }) => running.stop()))

    const after = await runFour(diskOf)
    expect(numbersOf(after)).toEqual(KEYS.map(() => BigInt(LOST - 1)))
    await Promise.all(after.map(({ chain }) => heads(chain, 2)))
    await Promise.all(after.map(({ running }) => running.stop()))
    for (const { chain } of after) expect(chain.store.recentHash(BigInt(LOST))).toEqual(hash)
  })
})
