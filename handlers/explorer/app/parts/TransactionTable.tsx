import { methodNameOf } from '../abi/methodName.ts'
import { formatEther } from '../format/quantity.ts'
import type { RpcTransaction } from '../rpc/types.ts'
import { ChainText } from './ChainText.tsx'
import { AddressLink, BlockLink, TransactionLink } from './Links.tsx'
import { type Column, Table } from './Table.tsx'
import { Age } from './Time.tsx'

const COLUMNS: readonly Column<RpcTransaction>[] = [
  { name: 'Transaction', cell: ({ hash }) => <TransactionLink hash={hash} /> },
  { name: 'Method', isOptional: true, cell: transaction => <ChainText text={methodNameOf(transaction)} /> },
  {
    name: 'Block',
    cell: ({ blockNumber }) =>
      blockNumber === null ? <em>waiting</em> : <BlockLink number={BigInt(blockNumber)} />,
  },
  {
    name: 'Time',
    isOptional: true,
    cell: ({ blockTimestamp }) => (blockTimestamp === undefined ? '–' : <Age timestamp={blockTimestamp} />),
  },
  { name: 'From', cell: ({ from }) => <AddressLink address={from} /> },
  { name: 'To', cell: ({ to }) => (to === null ? <em>new contract</em> : <AddressLink address={to} />) },
  { name: 'Value', isNumber: true, cell: ({ value }) => formatEther(BigInt(value)) },
]

type Props = { readonly transactions: readonly RpcTransaction[]; readonly empty: string }

export const TransactionTable = ({ transactions, empty }: Props) => (
  <Table
    label="Transactions"
    columns={COLUMNS}
    rows={transactions}
    keyOf={({ hash }) => hash}
    empty={empty}
  />
)
