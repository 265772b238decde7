import { TICK_MS } from '../../parts/Time.tsx'
import { formatAge, formatLocal, formatUtc, millisecondsOf } from '../../format/time.ts'
import { useClock } from '../../hooks/useClock.ts'
import { ChainText } from '../../parts/ChainText.tsx'
import { AddressLink } from '../../parts/Links.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import type { RpcStatus, RpcValidator } from '../../rpc/types.ts'

const LastSeen = ({ at }: { readonly at: RpcValidator['lastSeen'] }) => {
  const now = useClock(TICK_MS)
  const ms = at === null ? undefined : millisecondsOf(BigInt(at))
  if (ms === undefined) return <>never</>
  return <time title={`${formatLocal(ms)} local\n${formatUtc(ms)}`}>{formatAge(now - ms)}</time>
}

const State = ({ validator: { self, heard, connected } }: { readonly validator: RpcValidator }) => {
  if (self) return <span class="badge">this node</span>
  if (heard) return <span class="badge good">heard</span>
  return <span class="badge bad">{connected ? 'silent' : 'not connected'}</span>
}

const Trouble = ({ validator: { trouble, differences } }: { readonly validator: RpcValidator }) => (
  <>
    {trouble !== null && <ChainText text={trouble} />}
    {differences.length > 0 && <ChainText text={`differs in ${differences.join(', ')}`} />}
  </>
)

const clockText = (offset: number | null): string =>
  offset === null ? '–' : `${offset > 0 ? '+' : offset < 0 ? '−' : ''}${Math.abs(Math.round(offset))} ms`

const COLUMNS: readonly Column<RpcValidator>[] = [
  { name: 'Validator', cell: ({ address }) => <AddressLink address={address} /> },
  { name: 'State', cell: validator => <State validator={validator} /> },
  { name: 'Last seen', cell: ({ lastSeen }) => <LastSeen at={lastSeen} /> },
  { name: 'Proposed', isNumber: true, cell: ({ proposedBlocks }) => proposedBlocks },
  {
    name: 'Missed proposals',
    isNumber: true,
    cell: ({ missedProposals }) =>
      missedProposals === 0 ? 0 : <strong class="late">{missedProposals}</strong>,
  },
  { name: 'Missed seals', isNumber: true, cell: ({ missedSeals }) => missedSeals },
  { name: 'Clock', isNumber: true, isOptional: true, cell: ({ clockOffsetMs }) => clockText(clockOffsetMs) },
  {
    name: 'Version',
    isOptional: true,
    cell: ({ client }) => (client === null ? '–' : <ChainText text={client} />),
  },
  { name: 'Trouble', cell: validator => <Trouble validator={validator} /> },
]

/** State, participation in the last blocks, and software of each validator. */
export const ValidatorTable = ({ status }: { readonly status: RpcStatus }) => (
  <Table
    label={`Validators in the last ${status.blocksCounted} blocks`}
    columns={COLUMNS}
    rows={status.validators}
    keyOf={({ address }) => address}
    empty="This chain has no validators."
  />
)
