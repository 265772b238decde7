import { useEffect } from 'preact/hooks'
import { consensusOf, signersOf } from '../chain/consensus.ts'
import { quantity } from '../chain/blocks.ts'
import { isHash } from '../format/hex.ts'
import { formatBytes, formatGasPrice, formatInteger } from '../format/quantity.ts'
import { useLoaded } from '../hooks/useLoaded.ts'
import { useValue } from '../hooks/useValue.ts'
import { GasUsed } from '../parts/Amount.tsx'
import { Bytes } from '../parts/Bytes.tsx'
import { Details } from '../parts/Details.tsx'
import { ChainText } from '../parts/ChainText.tsx'
import { Json } from '../parts/Json.tsx'
import { AddressLink } from '../parts/Links.tsx'
import { Notice, Panel, Ready } from '../parts/Panel.tsx'
import { type Tab, Tabs, useTab } from '../parts/Tabs.tsx'
import { WholeTime } from '../parts/Time.tsx'
import { PagedTransactions } from '../parts/PagedTransactions.tsx'
import { navigate } from '../route.ts'
import { call } from '../rpc/client.ts'
import { head } from '../rpc/heads.ts'
import type { Hex, RpcBlock, RpcTransaction } from '../rpc/types.ts'

type Block = RpcBlock<RpcTransaction>

const NAMED: ReadonlySet<string> = new Set(['latest', 'earliest', 'finalized', 'safe'])

const read = async (id: string): Promise<Block | null> => {
  if (isHash(id)) return await call<Block | null>('eth_getBlockByHash', id, true)
  if (/^(?:\d{1,20}|0x[\da-f]{1,16})$/i.test(id))
    return await call<Block | null>('eth_getBlockByNumber', quantity(BigInt(id)), true)
  return NAMED.has(id) ? await call<Block | null>('eth_getBlockByNumber', id, true) : null
}

const Addresses = ({ addresses }: { readonly addresses: readonly Hex[] }) => (
  <ul class="inline">
    {addresses.map(address => (
      <li key={address}>
        <AddressLink address={address} />
      </li>
    ))}
  </ul>
)

const Consensus = ({ block }: { readonly block: Block }) => {
  const consensus = consensusOf(block)
  const { value: signers } = useLoaded(`signers ${block.hash}`, () => signersOf(block))
  if (consensus === undefined) return null
  const { round, validators, vote, vanity } = consensus
  return (
    <Panel title="Consensus">
      <Details
        rows={[
          ['Proposer', <AddressLink key="proposer" address={block.miner} whole />],
          ['Round', round === 0 ? '0, the first' : <strong class="late">{round}</strong>],
          [
            'Sealed by',
            signers === undefined ? (
              'Recovering…'
            ) : signers.length === 0 ? (
              'nobody: the first block'
            ) : (
              <Addresses addresses={signers} />
            ),
          ],
          [
            'Validators',
            validators.length === 0 ? 'selected by a contract' : <Addresses addresses={validators} />,
          ],
          [
            'Vote of the proposer',
            vote === undefined ? undefined : (
              <>
                {vote.add ? 'add' : 'remove'} <AddressLink address={vote.recipient} whole />
              </>
            ),
          ],
          ['Extra data', /^0x0*$/.test(vanity) ? undefined : <Bytes key="vanity" hex={vanity} />],
        ]}
      />
    </Panel>
  )
}

const Overview = ({ block }: { readonly block: Block }) => (
  <Panel title="Overview">
    <Details
      rows={[
        ['Time', <WholeTime key="time" timestamp={block.timestamp} />],
        ['Transactions', formatInteger(block.transactions.length)],
        [
          'Gas used',
          <>
            <GasUsed used={BigInt(block.gasUsed)} limit={BigInt(block.gasLimit)} /> of{' '}
            {formatInteger(BigInt(block.gasLimit))}
          </>,
        ],
        [
          'Base fee',
          block.baseFeePerGas === undefined ? undefined : formatGasPrice(BigInt(block.baseFeePerGas)),
        ],
        ['Size', formatBytes(BigInt(block.size))],
        ['Hash', <code key="hash">{block.hash}</code>],
        [
          'Parent',
          <a key="parent" class="hash" href={`/block/${block.parentHash}`}>
            {block.parentHash}
          </a>,
        ],
        ['State root', <code key="state">{block.stateRoot}</code>],
      ]}
    />
  </Panel>
)

const tabsOf = (block: Block): readonly Tab[] => [
  { id: 'overview', name: 'Overview' },
  { id: 'transactions', name: `Transactions (${block.transactions.length})` },
  { id: 'raw', name: 'Raw' },
]

const Parts = ({ block }: { readonly block: Block }) => {
  const tabs = tabsOf(block)
  const tab = useTab(tabs)
  const transactions = (
    <Panel title="Transactions">
      <PagedTransactions transactions={block.transactions} empty="This block has no transactions." />
    </Panel>
  )
  return (
    <>
      <Tabs tabs={tabs} current={tab} />
      {tab === 'overview' && (
        <>
          <Overview block={block} />
          <Consensus block={block} />
          {block.transactions.length > 0 && transactions}
        </>
      )}
      {tab === 'transactions' && transactions}
      {tab === 'raw' && (
        <Panel title="Response of the node">
          <Json label="Block" value={block} />
        </Panel>
      )}
    </>
  )
}

/** Links to the blocks before and after; the arrow keys follow them. */
const Neighbours = ({ number }: { readonly number: bigint }) => {
  const latest = useValue(head) ?? number
  const earlier = number > 0n ? `/block/${number - 1n}` : undefined
  const later = number < latest ? `/block/${number + 1n}` : undefined
  useEffect(() => {
    const go = (event: KeyboardEvent): void => {
      if (event.target instanceof Element && event.target.matches('input, textarea, pre, [role=region]'))
        return
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      const path = event.key === 'ArrowLeft' ? earlier : event.key === 'ArrowRight' ? later : undefined
      if (path !== undefined) navigate(path)
    }
    addEventListener('keydown', go)
    return () => removeEventListener('keydown', go)
  }, [earlier, later])
  return (
    <span class="neighbours">
      {earlier !== undefined && (
        <a href={earlier} aria-label="Earlier block">
          ←
        </a>
      )}
      {later !== undefined && (
        <a href={later} aria-label="Later block">
          →
        </a>
      )}
    </span>
  )
}

export const BlockPage = ({ id }: { readonly id: string }) => {
  const number = useValue(head)
  const isMissing = /^\d{1,20}$/.test(id) && number !== undefined && BigInt(id) > number
  const loaded = useLoaded(`block ${id}`, () => read(id), [isMissing])
  const found = loaded.value
  return (
    <>
      <h1>
        Block {found ? formatInteger(BigInt(found.number)) : <ChainText text={id} />}{' '}
        {found && <Neighbours number={BigInt(found.number)} />}
      </h1>
      <Ready of={loaded} method="eth_getBlockByNumber">
        {block =>
          block === null ? (
            <Notice>{isMissing ? 'This block is not decided yet.' : 'This node has no such block.'}</Notice>
          ) : (
            <Parts block={block} />
          )
        }
      </Ready>
    </>
  )
}
