import { expect, test } from 'bun:test'
import { requestScheduler } from '../../../../handlers/inbound/requestScheduler.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import type { RpcContext } from '../../../../handlers/rpc/context.ts'
import { signerMetrics } from '../../../../handlers/rpc/validators/signerMetrics.ts'
import { extend, openTestChain } from '../../../core/chain/support/chain.ts'
import { type Key, OUTSIDER, VALIDATORS } from '../../../core/chain/support/keys.ts'

const [V0, V1, V2, V3] = VALIDATORS

/** Blocks and the last one, by address without the zero address of the genesis block. */
const metricsOf = async (
  chain: Chain,
  from: number,
  to: number,
): Promise<Record<string, [string, string]>> => {
  const rows = (await signerMetrics({ params: [from, to], expired: () => false }, {
    chain,
    scheduler: requestScheduler(),
  } as RpcContext)) as readonly {
    address: string
    proposedBlockCount: string
    lastProposedBlockNumber: string
  }[]
  // In the order in which they first proposed; who proposed none stands last, as in Besu.
  const last = rows.findLastIndex(({ proposedBlockCount }) => proposedBlockCount !== '0x0')
  expect(rows.slice(0, last).some(({ proposedBlockCount }) => proposedBlockCount === '0x0')).toBe(false)
  return Object.fromEntries(
    rows.map(row => [row.address, [row.proposedBlockCount, row.lastProposedBlockNumber]]),
  )
}

const of = (key: Key, blocks: string, last: string) => [toHex(key.address), [blocks, last]]

test('given votes in the last block, when metrics are read, then they list the validator voted in and not the one voted out', async () => {
  const chain = await openTestChain()
  for (const voter of [V0, V1, V2])
    await extend(chain, [], { coinbase: voter.address, vote: { recipient: OUTSIDER.address, type: 'add' } })
  const five = [...VALIDATORS, OUTSIDER]
  for (const voter of [V0, V1, V2])
    await extend(chain, [], { coinbase: voter.address, vote: { recipient: V3.address, type: 'drop' } }, five)
  const four = [V0, V1, V2, OUTSIDER]
  await extend(chain, [], { coinbase: OUTSIDER.address }, four)
  await extend(chain, [], { coinbase: V0.address }, four)

  const both = [of(V0, '0x1', '0x1'), of(V1, '0x1', '0x2')]
  expect(await metricsOf(chain, 1, 3)).toEqual(
    Object.fromEntries([...both, of(V2, '0x0', '0x0'), of(V3, '0x0', '0x0')]),
  )
  expect(await metricsOf(chain, 1, 4)).toEqual(
    Object.fromEntries([...both, of(V2, '0x1', '0x3'), of(V3, '0x0', '0x0'), of(OUTSIDER, '0x0', '0x0')]),
  )
  expect(await metricsOf(chain, 5, 7)).toEqual(
    Object.fromEntries([
      of(V0, '0x0', '0x0'),
      of(V1, '0x1', '0x5'),
      of(V2, '0x1', '0x6'),
      of(OUTSIDER, '0x0', '0x0'),
    ]),
  )
  expect(await metricsOf(chain, 4, 8)).toEqual(
    Object.fromEntries([
      of(V0, '0x1', '0x4'),
      of(V1, '0x1', '0x5'),
      of(V2, '0x1', '0x6'),
      of(OUTSIDER, '0x1', '0x7'),
    ]),
  )
})
