import { formatInteger } from '../../format/quantity.ts'
import { formatLocal, formatUtc, millisecondsOf } from '../../format/time.ts'
import { ChainText } from '../../parts/ChainText.tsx'
import { Notice, Panel } from '../../parts/Panel.tsx'
import type { RpcStatus } from '../../rpc/types.ts'

type Transition = RpcStatus['transitions'][number]

const placeOf = ({ block, timestamp }: Transition): string => {
  if (block !== undefined) return `From block ${formatInteger(BigInt(block))}`
  const ms = timestamp === undefined ? undefined : millisecondsOf(BigInt(timestamp))
  return ms === undefined ? 'Later' : `From ${formatLocal(ms)} local, ${formatUtc(ms)}`
}

/** Changes of the rules that the genesis file plans. */
export const Transitions = ({ status }: { readonly status: RpcStatus | undefined }) => (
  <Panel title="Planned transitions">
    {status === undefined || status.transitions.length === 0 ? (
      <Notice>{status === undefined ? 'They are part of qbft_getStatus.' : 'None are planned.'}</Notice>
    ) : (
      <ul>
        {status.transitions.map((transition, index) => (
          <li key={index}>
            {placeOf(transition)}:{' '}
            {Object.entries(transition.changes).map(([name, value]) => (
              <ChainText key={name} text={`${name} = ${value} `} />
            ))}
          </li>
        ))}
      </ul>
    )}
  </Panel>
)
