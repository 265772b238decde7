import { transactionsOf } from '../../chain/accountTransactions.ts'
import { formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { PagedTransactions } from '../../parts/PagedTransactions.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { query } from '../../route.ts'
import { head } from '../../rpc/heads.ts'
import type { Hex } from '../../rpc/types.ts'

export const Transactions = ({ address }: { readonly address: Hex }) => {
  const number = useValue(head)
  const given = useValue(query).get('before')
  const before = given !== null && /^\d{1,15}$/.test(given) ? BigInt(given) : 0n
  const loaded = useLoaded(
    `transactions ${address} ${before}`,
    async () =>
      number === undefined
        ? new Promise<never>(() => undefined)
        : await transactionsOf(address, before, number),
    [before === 0n ? number : before],
  )
  return (
    <Panel title="Transactions">
      <Ready of={loaded} method="eth_getBlockByNumber">
        {({ transactions, from, next }) => (
          <>
            {from !== undefined && (
              <Notice>
                From block {formatInteger(from)} on: this node has no index of transactions by address
                (--explorer-index).
              </Notice>
            )}
            <PagedTransactions transactions={transactions} empty="There are none." />
            {(before > 0n || next !== undefined) && (
              <nav class="pages" aria-label="Pages of transactions">
                {before > 0n ? <a href={`/address/${address}`}>← Latest</a> : <span />}
                {next !== undefined && <a href={`/address/${address}?before=${next}`}>Earlier →</a>}
              </nav>
            )}
          </>
        )}
      </Ready>
    </Panel>
  )
}
