import { status } from '../../chain/status.ts'
import { useValue } from '../../hooks/useValue.ts'
import { NodeText } from '../../parts/ChainText.tsx'
import { Failure, Panel } from '../../parts/Panel.tsx'
import type { RpcStatus } from '../../rpc/types.ts'
import { Signers } from './Signers.tsx'
import { Transitions } from './Transitions.tsx'
import { ValidatorTable } from './ValidatorTable.tsx'
import { Votes } from './Votes.tsx'

const TITLES = { well: 'good', troubled: 'warn', stalled: 'bad' } as const
const WORDS = {
  well: 'blocks are decided',
  troubled: 'blocks are decided, with problems',
  stalled: 'no blocks are decided',
} as const

const Summary = ({ value }: { readonly value: RpcStatus }) => (
  <>
    <p>
      <span class={`badge ${TITLES[value.status]}`}>{WORDS[value.status]}</span> {value.heard} of{' '}
      {value.validators.length} validators are heard; {value.quorum} are needed.
      {value.round !== null && value.round > 0 && ` Round ${value.round} is under way.`}
    </p>
    {value.explanation !== null && (
      <p>
        <NodeText text={value.explanation} />
      </p>
    )}
  </>
)

/** The validators, their part in the last blocks, and votes on them. */
export const ValidatorsPage = () => {
  const { value, error } = useValue(status)
  return (
    <>
      <h1>Validators</h1>
      <Panel title="State as this node sees it">
        {value !== undefined && <Summary value={value} />}
        {error !== undefined && <Failure error={error} method="qbft_getStatus" />}
        {value !== undefined && <ValidatorTable status={value} />}
      </Panel>
      <Signers current={value?.validators.map(({ address }) => address)} />
      <div class="columns">
        <Votes status={value} />
        <Transitions status={value} />
      </div>
    </>
  )
}
