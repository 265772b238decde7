import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { ChainText } from '../../parts/ChainText.tsx'
import { Json } from '../../parts/Json.tsx'
import { Logs } from '../../parts/Logs.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { type Tab, Tabs, useTab } from '../../parts/Tabs.tsx'
import { call } from '../../rpc/client.ts'
import { head } from '../../rpc/heads.ts'
import type { RpcReceipt, RpcTransaction } from '../../rpc/types.ts'
import { isHash } from '../../format/hex.ts'
import { CallTree } from './CallTree.tsx'
import { Overview } from './Overview.tsx'
import { StateChanges } from './StateChanges.tsx'

export type Mined = { readonly transaction: RpcTransaction; readonly receipt: RpcReceipt | null }

const read = async (hash: string): Promise<Mined | null> => {
  const [transaction, receipt] = await Promise.all([
    call<RpcTransaction | null>('eth_getTransactionByHash', hash),
    call<RpcReceipt | null>('eth_getTransactionReceipt', hash),
  ])
  return transaction === null ? null : { transaction, receipt }
}

const tabsOf = (receipt: RpcReceipt | null): readonly Tab[] => [
  { id: 'overview', name: 'Overview' },
  ...(receipt === null
    ? []
    : [
        { id: 'events', name: `Events (${receipt.logs.length})` },
        { id: 'calls', name: 'Calls' },
        { id: 'state', name: 'State changes' },
      ]),
  { id: 'raw', name: 'Raw' },
]

const Parts = ({ transaction, receipt }: Mined) => {
  const tabs = tabsOf(receipt)
  const tab = useTab(tabs)
  return (
    <>
      <Tabs tabs={tabs} current={tab} />
      {tab === 'overview' && <Overview transaction={transaction} receipt={receipt} />}
      {tab === 'events' && receipt !== null && (
        <Panel title="Events">
          <Logs logs={receipt.logs} empty="This transaction has no events." />
        </Panel>
      )}
      {tab === 'calls' && <CallTree hash={transaction.hash} />}
      {tab === 'state' && <StateChanges hash={transaction.hash} />}
      {tab === 'raw' && (
        <Panel title="Responses of the node">
          <Json label="Transaction and receipt" value={{ transaction, receipt }} />
        </Panel>
      )}
    </>
  )
}

export const TransactionPage = ({ hash }: { readonly hash: string }) => {
  const number = useValue(head)
  const known = useLoaded(`transaction ${hash}`, () => (isHash(hash) ? read(hash) : Promise.resolve(null)), [
    number,
  ])
  return (
    <>
      <h1>
        Transaction <small class="hash">{isHash(hash) ? hash : <ChainText text={hash} />}</small>
      </h1>
      <Ready of={known} method="eth_getTransactionByHash">
        {found =>
          found === null ? (
            <Notice>This node has no transaction with this hash, neither in a block nor in its pool.</Notice>
          ) : (
            <Parts {...found} />
          )
        }
      </Ready>
    </>
  )
}
