import { tokenOf } from '../chain/tokens.ts'
import type { Transfer } from '../chain/transfers.ts'
import { formatInteger, formatUnits } from '../format/quantity.ts'
import { useLoaded } from '../hooks/useLoaded.ts'
import { ChainText } from './ChainText.tsx'
import { AddressLink, BlockLink, TransactionLink } from './Links.tsx'
import { Notice } from './Panel.tsx'
import { type Column, Table } from './Table.tsx'
import type { Hex } from '../rpc/types.ts'
import { shorten } from '../format/hex.ts'

/** The symbol of a token, with its address in the link. */
const TokenLink = ({ address }: { readonly address: Hex }) => {
  const { value } = useLoaded(`token ${address}`, () => tokenOf(address))
  const symbol = value?.symbol
  return (
    <a href={`/token/${address}`} title={address}>
      {symbol === undefined || symbol === '' ? (
        <code>{shorten(address, 8, 6)}</code>
      ) : (
        <ChainText text={symbol} />
      )}
    </a>
  )
}

/** Exact, in the unit that the token names. */
const Amount = ({ transfer: { token, amount, id } }: { readonly transfer: Transfer }) => {
  const { value } = useLoaded(`token ${token}`, () => tokenOf(token))
  return (
    <>
      {amount !== undefined && formatUnits(amount, id === undefined ? (value?.decimals ?? 0) : 0)}
      {id !== undefined && ` #${formatInteger(id)}`}
    </>
  )
}

const COLUMNS: readonly Column<Transfer>[] = [
  { name: 'Token', cell: ({ token }) => <TokenLink address={token} /> },
  { name: 'Standard', isOptional: true, cell: ({ kind }) => kind },
  { name: 'From', cell: ({ from }) => <AddressLink address={from} /> },
  { name: 'To', cell: ({ to }) => <AddressLink address={to} /> },
  { name: 'Amount', isNumber: true, cell: transfer => <Amount transfer={transfer} /> },
]

const PLACE: readonly Column<Transfer>[] = [
  { name: 'Transaction', cell: ({ log }) => <TransactionLink hash={log.transactionHash} /> },
  { name: 'Block', cell: ({ log }) => <BlockLink number={BigInt(log.blockNumber)} /> },
]

type Props = { readonly transfers: readonly Transfer[]; readonly empty: string; readonly withPlace?: boolean }

/** Transfers that are drawn: one event may have thousands. */
const SHOWN_MAX = 200

export const TransferTable = ({ transfers, empty, withPlace = false }: Props) => (
  <>
    <Table
      label="Token transfers"
      columns={withPlace ? [...PLACE, ...COLUMNS] : COLUMNS}
      rows={transfers.slice(0, SHOWN_MAX)}
      keyOf={({ log, index }) => `${log.transactionHash} ${log.logIndex} ${index}`}
      empty={empty}
    />
    {transfers.length > SHOWN_MAX && (
      <Notice>
        The first {SHOWN_MAX} of {formatInteger(transfers.length)} transfers.
      </Notice>
    )}
  </>
)
