import { transactionsOf } from '../../chain/accountTransactions.ts'
import { formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { PagedTransactions } from '../../parts/PagedTransactions.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { query } from '../../route.ts'
import { head } from '../../rpc/heads.ts'
import type { Hex } from '../../rpc/types.ts'

/** The transactions of an account in the last blocks, and in those before on demand. */
export const Transactions = ({ address }: { readonly address: Hex }) => {
  const number = useValue(head)
  const given = useValue(query).get('until')
  const isLatest = given === null || !/^\d{1,20}$/.test(given)
  const last = isLatest ? number : BigInt(given)
  const loaded = useLoaded(
    `transactions ${address} ${isLatest ? '' : last}`,
    async () =>
      last === undefined ? new Promise<never>(() => undefined) : await transactionsOf(address, last),
    [last],
  )
  return (
    <Panel title="Transactions">
      <Ready of={loaded} method="eth_getBlockByNumber">
        {({ transactions, from }) => (
          <>
            <Notice>
              From block {formatInteger(from)} to {formatInteger(last ?? 0n)}: this node has no index of
              transactions by address, so some blocks are read at a time.
            </Notice>
            <PagedTransactions transactions={transactions} empty="There are none in these blocks." />
            <nav class="pages" aria-label="Pages of transactions">
              {isLatest ? <span /> : <a href={`/address/${address}`}>← Latest</a>}
              {from > 0n && <a href={`/address/${address}?until=${from - 1n}`}>Earlier →</a>}
            </nav>
          </>
        )}
      </Ready>
    </Panel>
  )
}
