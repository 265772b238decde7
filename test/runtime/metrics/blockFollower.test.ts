import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import type { BlockParticipation } from '../../../runtime/consensus/reports/blockParticipation.ts'
import { createBlockParticipation } from '../../../runtime/consensus/reports/blockParticipation.ts'
import { METRIC_CATEGORIES } from '../../../runtime/cli/metricCategories.ts'
import { startBlockFollower } from '../../../runtime/metrics/blockFollower.ts'
import { createRegistry } from '../../../runtime/metrics/registry.ts'
import { extend, openTestChain, type TestChain, transfer } from '../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../core/chain/support/keys.ts'

const [V0, V1, V2, V3] = VALIDATORS

/** More than are counted at once. */
const MANY_BLOCKS = 70

const start = async (
  change: (participation: BlockParticipation) => BlockParticipation = participation => participation,
) => {
  const chain = await openTestChain()
  const registry = await createRegistry(METRIC_CATEGORIES)
  const warnings: string[] = []
  const participation = createBlockParticipation(chain, () =>
    Promise.reject(new Error('the signers are known, and need not be recovered')),
  )
  const stop = startBlockFollower(registry, {
    chain,
    participation: change(participation),
    log: { warn: (text: string) => warnings.push(text) } as never,
  })
  const samples = async (name: string): Promise<readonly string[]> =>
    (await registry.render('text', [name])).text
      .split('\n')
      .filter(line => line.startsWith(name))
      .map(line => line.slice(name.length))
      .toSorted()
  return { chain, samples, stop, warnings }
}

const sample = ({ address }: { readonly address: Uint8Array }, value: number): string =>
  `{validator="${toHex(address)}"} ${value}`

const inOrder = (...samples: readonly string[]): readonly string[] => samples.toSorted()

const withoutFourth = async (chain: TestChain, blocks: number): Promise<void> => {
  for (let block = 0; block < blocks; block++) await extend(chain, [], {}, [V0, V1, V2])
}

describe('given metrics of the blocks', () => {
  test('when a scrape comes after many blocks, then it counts each of them once, from the seals verified before', async () => {
    const { chain, samples, stop, warnings } = await start()
    await withoutFourth(chain, MANY_BLOCKS)
    const missed = (count: number): readonly string[] =>
      inOrder(sample(V0, 0), sample(V1, 0), sample(V2, 0), sample(V3, count))
    expect(await samples('qbft_missed_seals_total')).toEqual(missed(MANY_BLOCKS))
    await withoutFourth(chain, 1)
    expect(await samples('qbft_missed_seals_total')).toEqual(missed(MANY_BLOCKS + 1))
    expect(await samples('qbft_blocks_proposed_total')).toContain(sample(V0, MANY_BLOCKS + 1))
    expect(warnings).toEqual([])
    await stop()
  })

  test('when a block was decided in a later round, then its earlier proposers have missed theirs', async () => {
    const { chain, samples, stop } = await start()
    await extend(chain, [], { round: 2 })
    const missed = await samples('qbft_missed_proposals_total')
    expect(missed.filter(text => text.endsWith(' 1')).length).toBe(2)
    await stop()
  })

  test('when blocks have transactions, then they and their gas are added up', async () => {
    const { chain, samples, stop } = await start()
    await extend(chain, [transfer(USERS[0], 0), transfer(USERS[0], 1)])
    await extend(chain, [transfer(USERS[0], 2)])
    expect(await samples('besu_blockchain_chain_head_transaction_count_counter_total')).toEqual([' 3'])
    expect(await samples('besu_blockchain_chain_head_gas_used_counter_total')).toEqual([' 63000'])
    await stop()
  })

  test('when a validator is voted out, then it has no counters any more', async () => {
    const { chain, samples, stop } = await start()
    await withoutFourth(chain, 1)
    expect(await samples('qbft_missed_seals_total')).toContain(sample(V3, 1))
    for (const { address } of [V0, V1, V2])
      await extend(chain, [], { coinbase: address, vote: { recipient: V3.address, type: 'drop' } })
    expect(await samples('qbft_missed_seals_total')).toEqual(
      inOrder(sample(V0, 0), sample(V1, 0), sample(V2, 0)),
    )
    await stop()
  })

  test('when blocks cannot be read, then a warning names them and later ones are counted', async () => {
    let isReadable = false
    const { chain, samples, stop, warnings } = await start(participation => ({
      range: (from, to) =>
        isReadable ? participation.range(from, to) : Promise.reject(new Error('the disk is gone')),
    }))
    await withoutFourth(chain, 1)
    expect(await samples('qbft_missed_seals_total')).toContain(sample(V3, 0))
    expect(warnings).toEqual([expect.stringContaining('are left out')])
    isReadable = true
    await withoutFourth(chain, 1)
    expect(await samples('qbft_missed_seals_total')).toContain(sample(V3, 1))
    await stop()
  })
})
