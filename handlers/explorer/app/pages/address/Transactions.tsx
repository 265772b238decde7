import { transactionsOf } from '../../chain/accountTransactions.ts'
import { formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { PagedTransactions } from '../../parts/PagedTransactions.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { query } from '../../route.ts'
import { head } from '../../rpc/heads.ts'
import type { Hex } from '../../rpc/types.ts'

/** The transactions of an account, page by page. */
export const Transactions = ({ address }: { readonly address: Hex }) => {
  const number = useValue(head)
  const given = useValue(query).get('below')
  const below = given !== null && /^\d{1,15}$/.test(given) && given !== '0' ? BigInt(given) : undefined
  const loaded = useLoaded(
    `transactions ${address} ${below}`,
    async () =>
      number === undefined
        ? new Promise<never>(() => undefined)
        : await transactionsOf(address, below, number),
    [below === undefined ? number : below],
  )
  return (
    <Panel title="Transactions">
      <Ready of={loaded} method="eth_getBlockByNumber">
        {({ transactions, from, next }) => (
          <>
            {from !== undefined && (
              <Notice>
                From block {formatInteger(from)} on: this node has no index of transactions by address
                (--explorer-index), so at most a hundred blocks are read at a time.
              </Notice>
            )}
            <PagedTransactions transactions={transactions} empty="There are none here." />
            <nav class="pages" aria-label="Pages of transactions">
              {below === undefined ? <span /> : <a href={`/address/${address}`}>← Latest</a>}
              {next !== undefined && <a href={`/address/${address}?below=${next}`}>Earlier →</a>}
            </nav>
          </>
        )}
      </Ready>
    </Panel>
  )
}
