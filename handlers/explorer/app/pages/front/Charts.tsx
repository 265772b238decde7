import { useMemo } from 'preact/hooks'
import { intervalOf } from '../../chain/blocks.ts'
import { consensusOf } from '../../chain/consensus.ts'
import { Chart } from '../../parts/Chart.tsx'
import type { RpcBlock } from '../../rpc/types.ts'

/** A chart counts in numbers that are exact. */
const isDrawn = (number: bigint): boolean => number > 0n && number <= BigInt(Number.MAX_SAFE_INTEGER)

/** One value for each block but the first, whose parent is not known. */
const seriesOf = (blocks: readonly RpcBlock[]) => {
  // The time of the first block is that of the genesis file.
  const ascending = blocks.filter(({ number }) => isDrawn(BigInt(number))).toReversed()
  const shown = ascending.slice(1)
  const intervals = shown.map((block, index) => intervalOf(block, ascending[index] as RpcBlock))
  return {
    numbers: shown.map(({ number }) => Number(number)),
    intervals,
    // Times of blocks are whole seconds.
    rates: shown.map(
      ({ transactions }, index) => transactions.length / Math.max(1, intervals[index] as number),
    ),
    rounds: shown.map(block => consensusOf(block)?.round ?? 0),
  }
}

export const Charts = ({ blocks }: { readonly blocks: readonly RpcBlock[] }) => {
  const { numbers, intervals, rates, rounds } = useMemo(() => seriesOf(blocks), [blocks])
  return (
    <section class="charts panel" aria-label="The last hundred blocks">
      <Chart title="Transactions per second" numbers={numbers} values={rates} unit="" kind="line" />
      <Chart title="Seconds between blocks" numbers={numbers} values={intervals} unit=" s" kind="line" />
      <Chart title="Rounds needed after the first" numbers={numbers} values={rounds} unit="" kind="bars" />
    </section>
  )
}
