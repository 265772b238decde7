import { formatEther, formatGasPrice, formatInteger } from '../format/quantity.ts'
import { useClock } from '../hooks/useClock.ts'
import { useLoaded } from '../hooks/useLoaded.ts'
import { NodeText } from '../parts/ChainText.tsx'
import { AddressLink, TransactionLink } from '../parts/Links.tsx'
import { Notice, Panel, Ready } from '../parts/Panel.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { call } from '../rpc/client.ts'
import type { Hex, RpcTransaction } from '../rpc/types.ts'

/** Transactions that are listed: each reason is a request of its own. */
const LISTED = 50
const INTERVAL_MS = 2_000

type Waiting = { readonly transaction: RpcTransaction; readonly reason: string | undefined }

const readWaiting = async (): Promise<readonly Waiting[]> => {
  const transactions = await call<readonly RpcTransaction[]>('txpool_besuPendingTransactions', LISTED)
  return await Promise.all(
    transactions.map(async transaction => ({
      transaction,
      // It may have left the pool since.
      reason: (await call<string | null>('txpool_explain', transaction.hash).catch(() => null)) ?? undefined,
    })),
  )
}

const COLUMNS: readonly Column<Waiting>[] = [
  { name: 'Transaction', cell: ({ transaction }) => <TransactionLink hash={transaction.hash} /> },
  { name: 'From', cell: ({ transaction }) => <AddressLink address={transaction.from} /> },
  { name: 'Nonce', isNumber: true, cell: ({ transaction }) => formatInteger(BigInt(transaction.nonce)) },
  {
    name: 'To',
    isOptional: true,
    cell: ({ transaction: { to } }) => (to === null ? <em>new contract</em> : <AddressLink address={to} />),
  },
  {
    name: 'Value',
    isNumber: true,
    isOptional: true,
    cell: ({ transaction }) => formatEther(BigInt(transaction.value)),
  },
  {
    name: 'Maximum gas price',
    isNumber: true,
    isOptional: true,
    cell: ({ transaction }) => formatGasPrice(BigInt(transaction.maxFeePerGas ?? transaction.gasPrice)),
  },
  { name: 'Reason', cell: ({ reason }) => (reason === undefined ? '–' : <NodeText text={reason} />) },
]

type Status = { readonly pending: Hex; readonly queued: Hex }

/** Transactions that are in no block yet, each with the reason. */
export const PoolPage = () => {
  const now = useClock(INTERVAL_MS)
  const status = useLoaded('pool status', () => call<Status>('txpool_status'), [now])
  const waiting = useLoaded('pool', readWaiting, [now])
  return (
    <>
      <h1>Pool</h1>
      <Panel title="Waiting transactions">
        <Ready of={status} method="txpool_status">
          {({ pending, queued }) => (
            <p>
              {formatInteger(BigInt(pending))} can be in the next blocks, {formatInteger(BigInt(queued))} wait
              for an earlier one of their account.
            </p>
          )}
        </Ready>
        {status.value !== undefined && (
          <Ready of={waiting} method="txpool_besuPendingTransactions">
            {rows => (
              <>
                <Table
                  label="Waiting transactions"
                  columns={COLUMNS}
                  rows={rows}
                  keyOf={({ transaction }) => transaction.hash}
                  empty="The pool of this node is empty."
                />
                {rows.length === LISTED && <Notice>Only {LISTED} are listed.</Notice>}
              </>
            )}
          </Ready>
        )}
      </Panel>
    </>
  )
}
