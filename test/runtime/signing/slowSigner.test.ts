import { expect, setDefaultTimeout, test } from 'bun:test'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { decodeRlp, type RlpItem, rlpBytes, rlpList } from '../../../core/rlp/rlp.ts'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { localSigner, SignerError } from '../../../runtime/signing/signer.ts'
import { seededRandom } from '../../support/random.ts'
import { runConsensus } from '../consensus/running.ts'
import { genesisText, testKey } from '../genesis.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const BLOCKS = 6n
/** Longer than a round of the test. */
const SLOW_MS = 300
const EXTRA_DATA_ITEM = 12
const NUMBER_ITEM = 8

const numberOf = (item: RlpItem | undefined): bigint => bytesToBigint(rlpBytes(item, 'a number'))

/** What is signed once at most: a kind of message, or a seal, in a round of a height. */
const placeOf = (preimage: Uint8Array): string => {
  const items = rlpList(decodeRlp(preimage), 'what is signed')
  if (items.length === 2) {
    const [sequence, round] = rlpList(items[1], 'a payload')
    return `message ${numberOf(items[0])} of block ${numberOf(sequence)}, round ${numberOf(round)}`
  }
  const { round } = decodeExtraData(rlpBytes(items[EXTRA_DATA_ITEM], 'the extra data'))
  return `seal of block ${numberOf(items[NUMBER_ITEM])}, round ${round}`
}

test('given a signer that is slow, silent for a while and fails, when a validator makes blocks with it, then nothing is signed twice', async () => {
  const random = seededRandom(7)
  const { sign } = localSigner(nodeKeyOf(testKey(1)))
  const asked = new Map<string, Set<string>>()
  const counts = { slow: 0, failed: 0 }
  const { chain, running } = await runConsensus(
    genesisText({ qbft: { xblockperiodmilliseconds: 20, requesttimeoutseconds: 1 } }),
    {
      signer: {
        sign: async (digest, preimage) => {
          const place = placeOf(preimage())
          asked.set(place, (asked.get(place) ?? new Set()).add(toHex(digest)))
          if (random.below(10) === 0) {
            counts.slow++
            await Bun.sleep(SLOW_MS)
          }
          if (random.below(20) === 0) {
            counts.failed++
            throw new SignerError('no signature')
          }
          return sign(digest, preimage)
        },
      },
    },
  )
  try {
    await until(() => chain.head().header.number >= BLOCKS)
  } finally {
    await running.stop()
  }
  expect(Math.min(counts.slow, counts.failed)).toBeGreaterThan(0)
  expect([...asked].filter(([, digests]) => digests.size > 1)).toEqual([])
})
