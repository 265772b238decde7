import { toQuantity } from '../../../core/bytes/hex.ts'
import { maxBigint } from '../../../core/bytes/integer.ts'
import { blobBaseFeeAt, excessBlobGasAfter, maxBlobGas } from '../../../core/chain/fees/blobFee.ts'
import { nextBaseFeeOn } from '../../../core/chain/fees/baseFee.ts'
import type { Header } from '../../../core/block/header.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { type FeeSample, feeSampleAt } from './feeSamples.ts'
import type { Call } from '../method.ts'
import { lowestTipOf, minGasPriceOf } from './nextHead.ts'
import { blockNumberOf, requireNumberSelector } from '../parameters/block.ts'
import { FEE_HISTORY_BLOCKS_MAX } from '../parameters/limits.ts'
import { percentilesOf } from '../parameters/percentiles.ts'
import { given, integerOf, required } from '../parameters/values.ts'

/** Undefined for a request without rewards. @throws RpcError */
const readPercentiles = (value: unknown): readonly number[] | undefined =>
  value === undefined ? undefined : required(percentilesOf(value), 'INVALID_REWARD_PERCENTILES')

/**
 * The tip at each percentile of the gas of one block, cheapest transactions first. Clients derive their own tip from it, so it
 * is never below the tip that a transaction needs now.
 */
const rewardsOf = (
  header: Header,
  sample: FeeSample,
  percentiles: readonly number[],
  lowestTip: bigint,
): string[] => {
  const [first] = sample
  if (first === undefined) return percentiles.map(() => toQuantity(lowestTip))
  let position = 0
  let sum = first.gasUsed
  return percentiles.map(percentile => {
    const threshold = (Number(header.gasUsed) * percentile) / 100
    while (Number(sum) < threshold && position < sample.length - 1)
      sum += (sample[++position] as typeof first).gasUsed
    return toQuantity(maxBigint(lowestTip, (sample[position] as typeof first).tip))
  })
}

const ratio = (part: bigint, whole: bigint): number => (whole === 0n ? 0 : Number(part) / Number(whole))

/** eth_feeHistory: fees of the last blocks, and the base fee of the next block. */
export const feeHistory = async ({ params, expired }: Call, context: RpcContext): Promise<unknown> => {
  const { chain, nowMs, scheduler } = context
  const count = integerOf(given(params, 0), 64)
  if (count === undefined || count < 1n || count > BigInt(FEE_HISTORY_BLOCKS_MAX))
    throw new RpcError('INVALID_BLOCK_COUNT')
  const newest = await blockNumberOf(context, requireNumberSelector(params, 1, 'INVALID_BLOCK_NUMBER'))
  if (newest === undefined)
    throw new RpcError('INVALID_BLOCK_NUMBER', { data: 'newestBlock: beyond the current head block' })
  const percentiles = readPercentiles(given(params, 2))

  const oldest = newest + 1n > count ? newest + 1n - count : 0n
  const yieldTurn = scheduler.createYield()
  const lowestTip = lowestTipOf(context)
  const headers: Header[] = []
  const rewards: string[][] = []
  for (let number = oldest; number <= newest; number++) {
    await yieldTurn()
    if (expired()) throw new RpcError('TIMEOUT')
    const header = (await chain.store.header(number)) as Header
    headers.push(header)
    rewards.push(
      percentiles === undefined || percentiles.length === 0
        ? []
        : rewardsOf(header, await feeSampleAt(chain.store, number), percentiles, lowestTip),
    )
  }

  const rulesOf = (header: Header) =>
    rulesAt(chain.configuration, header.number, header.timestamp, header.difficulty)
  const last = headers[headers.length - 1] as Header
  const following = newest === chain.head().header.number ? undefined : await chain.store.header(newest + 1n)
  const seconds = BigInt(Math.floor(nowMs() / 1000))
  const nextTimestamp = seconds > last.timestamp ? seconds : last.timestamp + 1n
  const nextRules = rulesAt(chain.configuration, last.number + 1n, nextTimestamp, last.difficulty)
  const nextFee =
    following === undefined
      ? nextBaseFeeOn(chain, nextRules, last, minGasPriceOf(context))
      : following.baseFeePerGas
  const nextExcess =
    following === undefined
      ? nextRules.blob === undefined
        ? undefined
        : excessBlobGasAfter(nextRules, nextRules.blob, last)
      : following.excessBlobGas
  const blobFee = (header: Header): bigint =>
    blobBaseFeeAt(chain.configuration, rulesOf(header), header.excessBlobGas) ?? 0n
  const nextBlobFee =
    blobBaseFeeAt(
      chain.configuration,
      following === undefined ? nextRules : rulesOf(following),
      nextExcess,
    ) ?? 0n

  return {
    oldestBlock: toQuantity(oldest),
    baseFeePerGas: [...headers.map(header => header.baseFeePerGas ?? 0n), nextFee ?? 0n].map(toQuantity),
    baseFeePerBlobGas: [...headers.map(blobFee), nextBlobFee].map(toQuantity),
    gasUsedRatio: headers.map(({ gasUsed, gasLimit }) => ratio(gasUsed, gasLimit)),
    blobGasUsedRatio: headers.map(header => {
      const { blob } = rulesOf(header)
      return blob === undefined ? 0 : ratio(header.blobGasUsed ?? 0n, maxBlobGas(blob))
    }),
    ...(percentiles === undefined ? {} : { reward: rewards }),
  }
}
