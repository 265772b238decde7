import { useState } from 'preact/hooks'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { fieldOf } from '../../parts/fieldOf.ts'
import { NodeText } from '../../parts/ChainText.tsx'
import { AddressLink } from '../../parts/Links.tsx'
import { Failure, Notice, Panel } from '../../parts/Panel.tsx'
import { call } from '../../rpc/client.ts'
import { describeFailure } from '../../rpc/failure.ts'
import type { Hex, RpcStatus } from '../../rpc/types.ts'

type VoteGroup = { readonly recipient: Hex; readonly add: boolean; readonly voters: readonly Hex[] }

const talliesOf = (votes: RpcStatus['votes']): readonly VoteGroup[] =>
  [...Map.groupBy(votes, ({ recipient, add }) => `${recipient} ${add}`).values()].map(group => {
    const { recipient, add } = group[0] as RpcStatus['votes'][number]
    return { recipient, add, voters: group.map(({ voter }) => voter) }
  })

const neededOf = (validators: number): number => Math.floor(validators / 2) + 1

const Tally = ({ group, needed }: { readonly group: VoteGroup; readonly needed: number }) => (
  <li>
    {group.add ? 'Add' : 'Remove'} <AddressLink address={group.recipient} />: {group.voters.length} of{' '}
    {needed} votes, by{' '}
    {group.voters.map((voter, index) => (
      <span key={voter}>
        {index > 0 && ', '}
        <AddressLink address={voter} />
      </span>
    ))}
  </li>
)

type OwnProps = { readonly onChange: () => void; readonly votes: Readonly<Record<Hex, boolean>> }

/** Votes that this node casts in each block it proposes, until they are discarded. */
const Own = ({ votes, onChange }: OwnProps) => {
  const [problem, setProblem] = useState<string>()
  const change = async (method: string, ...params: readonly unknown[]): Promise<void> => {
    setProblem(undefined)
    try {
      await call(method, ...params)
      onChange()
    } catch (error) {
      setProblem(describeFailure(error, method))
    }
  }
  return (
    <>
      <h3>Votes of this node</h3>
      {Object.keys(votes).length === 0 && <Notice>It casts no votes.</Notice>}
      <ul>
        {(Object.entries(votes) as [Hex, boolean][]).map(([address, add]) => (
          <li key={address}>
            {add ? 'Add' : 'Remove'} <AddressLink address={address} />{' '}
            <button
              type="button"
              class="link"
              onClick={() => void change('qbft_discardValidatorVote', address)}
            >
              Discard
            </button>
          </li>
        ))}
      </ul>
      <form
        class="fields"
        onSubmit={event => {
          event.preventDefault()
          const form = event.currentTarget
          const add = (event.submitter as HTMLButtonElement | null)?.value === 'add'
          void change('qbft_proposeValidatorVote', fieldOf(form, 'address').trim(), add)
        }}
      >
        <label>
          Address of a validator{' '}
          <input name="address" required pattern="\s*0x[0-9a-fA-F]{40}\s*" spellcheck={false} />
        </label>
        <span class="buttons">
          <button type="submit" value="add">
            Vote to add
          </button>
          <button type="submit" class="bad" value="drop">
            Vote to remove
          </button>
        </span>
        <p role="alert" class="problem">
          {problem !== undefined && <NodeText text={problem} />}
        </p>
      </form>
    </>
  )
}

/** Pending votes with their tally, and the votes of this node. */
export const Votes = ({ status }: { readonly status: RpcStatus | undefined }) => {
  const [changes, setChanges] = useState(0)
  const own = useLoaded('votes', () => call<Readonly<Record<Hex, boolean>>>('qbft_getPendingVotes'), [
    changes,
    status,
  ])
  const tallies = talliesOf(status?.votes ?? [])
  return (
    <Panel title="Votes">
      {status !== undefined && tallies.length === 0 && <Notice>No votes are pending.</Notice>}
      <ul>
        {tallies.map(group => (
          <Tally
            key={`${group.recipient} ${group.add}`}
            group={group}
            needed={neededOf(status?.validators.length ?? 0)}
          />
        ))}
      </ul>
      {own.value !== undefined ? (
        <Own votes={own.value} onChange={() => setChanges(changes + 1)} />
      ) : (
        own.error !== undefined && <Failure error={own.error} method="qbft_getPendingVotes" />
      )}
    </Panel>
  )
}
