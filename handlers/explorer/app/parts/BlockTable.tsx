import { consensusOf } from '../chain/consensus.ts'
import { formatInteger } from '../format/quantity.ts'
import type { RpcBlock } from '../rpc/types.ts'
import { GasUsed } from './Amount.tsx'
import { AddressLink, BlockLink } from './Links.tsx'
import { type Column, Table } from './Table.tsx'
import { Age } from './Time.tsx'

const Round = ({ block }: { readonly block: RpcBlock }) => {
  const round = consensusOf(block)?.round
  if (round === undefined) return <>–</>
  return round === 0 ? <>0</> : <strong class="late">{round}</strong>
}

const COLUMNS: readonly Column<RpcBlock>[] = [
  { name: 'Block', cell: ({ number }) => <BlockLink number={BigInt(number)} /> },
  { name: 'Time', cell: ({ timestamp }) => <Age timestamp={timestamp} /> },
  { name: 'Proposer', cell: ({ miner }) => <AddressLink address={miner} /> },
  { name: 'Round', isNumber: true, cell: block => <Round block={block} /> },
  { name: 'Transactions', isNumber: true, cell: ({ transactions }) => formatInteger(transactions.length) },
  {
    name: 'Gas used',
    isNumber: true,
    isOptional: true,
    cell: ({ gasUsed, gasLimit }) => <GasUsed used={BigInt(gasUsed)} limit={BigInt(gasLimit)} />,
  },
]

export const BlockTable = ({ blocks }: { readonly blocks: readonly RpcBlock[] }) => (
  <Table
    label="Blocks"
    columns={COLUMNS}
    rows={blocks}
    keyOf={({ hash }) => hash}
    empty="There are no blocks."
  />
)
