import { useState } from 'preact/hooks'
import type { RpcTransaction } from '../rpc/types.ts'
import { TransactionTable } from './TransactionTable.tsx'

const PAGE_ROWS = 50

type Props = { readonly transactions: readonly RpcTransaction[]; readonly empty: string }

/** A list that may be long, some rows at a time. */
export const PagedTransactions = ({ transactions, empty }: Props) => {
  const [page, setPage] = useState(0)
  const first = page * PAGE_ROWS
  return (
    <>
      <TransactionTable transactions={transactions.slice(first, first + PAGE_ROWS)} empty={empty} />
      {transactions.length > PAGE_ROWS && (
        <div class="pages">
          <button type="button" class="quiet" disabled={page === 0} onClick={() => setPage(page - 1)}>
            ← Back
          </button>
          <span>
            {first + 1} to {Math.min(first + PAGE_ROWS, transactions.length)} of {transactions.length}
          </span>
          <button
            type="button"
            class="quiet"
            disabled={first + PAGE_ROWS >= transactions.length}
            onClick={() => setPage(page + 1)}
          >
            Next →
          </button>
        </div>
      )}
    </>
  )
}
