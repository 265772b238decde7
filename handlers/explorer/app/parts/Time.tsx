import { formatAge, formatLocal, formatUtc, millisecondsOf } from '../format/time.ts'
import { useClock } from '../hooks/useClock.ts'
import type { Hex } from '../rpc/types.ts'

/** Interval between updates of a shown age. */
export const TICK_MS = 1_000

/** How long ago a block was made; local time and UTC on demand. */
export const Age = ({ timestamp }: { readonly timestamp: Hex }) => {
  const now = useClock(TICK_MS)
  const ms = millisecondsOf(BigInt(timestamp))
  if (ms === undefined) return <span>not a date</span>
  if (ms === 0) return <span title="The genesis file gives no time">–</span>
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${formatLocal(ms)} local\n${formatUtc(ms)}`}>
      {formatAge(now - ms)}
    </time>
  )
}

/** Age, local time and UTC. */
export const WholeTime = ({ timestamp }: { readonly timestamp: Hex }) => {
  const ms = millisecondsOf(BigInt(timestamp))
  return (
    <span class="times">
      <Age timestamp={timestamp} />
      {ms !== undefined && (
        <>
          <span>
            {formatLocal(ms)} <small>local</small>
          </span>
          <span>{formatUtc(ms)}</span>
        </>
      )}
    </span>
  )
}
