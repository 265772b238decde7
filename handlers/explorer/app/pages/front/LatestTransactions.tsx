import { useLoaded } from '../../hooks/useLoaded.ts'
import { Ready } from '../../parts/Panel.tsx'
import { TransactionTable } from '../../parts/TransactionTable.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex, RpcBlock, RpcTransaction } from '../../rpc/types.ts'

const LISTED = 10

const latestHashes = (blocks: readonly RpcBlock[]): readonly Hex[] =>
  blocks.flatMap(({ transactions }) => transactions.toReversed()).slice(0, LISTED)

export const LatestTransactions = ({ blocks }: { readonly blocks: readonly RpcBlock[] }) => {
  const hashes = latestHashes(blocks)
  const loaded = useLoaded('transactions', async () => {
    const found = await Promise.all(
      hashes.map(hash => call<RpcTransaction | null>('eth_getTransactionByHash', hash)),
    )
    return found.filter(transaction => transaction !== null)
  }, [hashes.join()])
  return (
    <Ready of={loaded} method="eth_getTransactionByHash">
      {transactions => (
        <TransactionTable transactions={transactions} empty="The last hundred blocks have no transactions." />
      )}
    </Ready>
  )
}
