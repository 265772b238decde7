import { checksummed, isAddressText } from '../../format/hex.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { Bytes } from '../../parts/Bytes.tsx'
import { ChainText } from '../../parts/ChainText.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { type Tab, Tabs, useTab } from '../../parts/Tabs.tsx'
import { call } from '../../rpc/client.ts'
import { head } from '../../rpc/heads.ts'
import type { Hex } from '../../rpc/types.ts'
import { Contract } from './Contract.tsx'
import { Events } from './Events.tsx'
import { AccountOverview } from './Overview.tsx'
import { AccountTransfers } from './Transfers.tsx'
import { Transactions } from './Transactions.tsx'

export type Account = { readonly balance: bigint; readonly nonce: bigint; readonly code: Hex }

const read = async (address: Hex): Promise<Account> => {
  const [balance, nonce, code] = await Promise.all([
    call<Hex>('eth_getBalance', address, 'latest'),
    call<Hex>('eth_getTransactionCount', address, 'latest'),
    call<Hex>('eth_getCode', address, 'latest'),
  ])
  return { balance: BigInt(balance), nonce: BigInt(nonce), code }
}

const TABS: readonly Tab[] = [
  { id: 'transactions', name: 'Transactions' },
  { id: 'transfers', name: 'Token transfers' },
]

const CONTRACT_TABS: readonly Tab[] = [
  ...TABS,
  { id: 'events', name: 'Events' },
  { id: 'contract', name: 'Read and write' },
  { id: 'code', name: 'Code' },
]

const Parts = ({ address, code }: { readonly address: Hex; readonly code: Hex }) => {
  const tabs = code === '0x' ? TABS : CONTRACT_TABS
  const tab = useTab(tabs)
  return (
    <>
      <Tabs tabs={tabs} current={tab} />
      {tab === 'transactions' && <Transactions address={address} />}
      {tab === 'transfers' && <AccountTransfers address={address} />}
      {tab === 'events' && <Events address={address} />}
      {tab === 'contract' && <Contract address={address} />}
      {tab === 'code' && (
        <Panel title="Code">
          <Bytes hex={code} />
        </Panel>
      )}
    </>
  )
}

const Known = ({ address }: { readonly address: Hex }) => {
  const number = useValue(head)
  const loaded = useLoaded(`account ${address}`, () => read(address), [number])
  return (
    <>
      <h1>
        {loaded.value !== undefined && loaded.value.code !== '0x' ? 'Contract' : 'Account'}{' '}
        <small class="hash">{checksummed(address)}</small>
      </h1>
      <Panel title="Overview">
        <Ready of={loaded} method="eth_getBalance">
          {account => <AccountOverview address={address} account={account} />}
        </Ready>
      </Panel>
      {/* The lists of a reader without state are still there. */}
      {!loaded.isLoading && <Parts address={address} code={loaded.value?.code ?? '0x'} />}
    </>
  )
}

export const AddressPage = ({ address }: { readonly address: string }) =>
  isAddressText(address) ? (
    <Known address={address as Hex} />
  ) : (
    <>
      <h1>Address</h1>
      <Notice>
        <ChainText text={address} /> is not an address: it has 20 bytes, in hex after 0x.
      </Notice>
    </>
  )
