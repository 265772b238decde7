import { tokenOf, type Token } from '../chain/tokens.ts'
import { transfersOfToken } from '../chain/transferFilters.ts'
import { isAddressText } from '../format/hex.ts'
import { formatUnits } from '../format/quantity.ts'
import { useLoaded } from '../hooks/useLoaded.ts'
import { Details } from '../parts/Details.tsx'
import { ChainText } from '../parts/ChainText.tsx'
import { AddressLink } from '../parts/Links.tsx'
import { Notice, Panel, Ready } from '../parts/Panel.tsx'
import type { Hex } from '../rpc/types.ts'
import { LatestTransfers } from './address/Transfers.tsx'

const Overview = ({ token }: { readonly token: Token }) => {
  const { address, kind, name, symbol, decimals, totalSupply } = token
  return (
    <Details
      rows={[
        ['Name', name === undefined ? undefined : <ChainText key="name" text={name} />],
        ['Symbol', symbol === undefined ? undefined : <ChainText key="symbol" text={symbol} />],
        ['Standard', kind ?? 'none that this explorer knows'],
        ['Decimals', decimals],
        ['Total supply', totalSupply === undefined ? undefined : formatUnits(totalSupply, decimals ?? 0)],
        ['Contract', <AddressLink key="contract" address={address} whole />],
      ]}
    />
  )
}

const Known = ({ address }: { readonly address: Hex }) => {
  const loaded = useLoaded(`token page ${address}`, () => tokenOf(address))
  return (
    <>
      <h1>
        Token <ChainText text={loaded.value?.name ?? ''} />
      </h1>
      <Notice>
        Name and symbol are what the author of the contract wrote. The address alone tells which token it is.
      </Notice>
      <Panel title="Overview">
        <Ready of={loaded} method="eth_call">
          {token => <Overview token={token} />}
        </Ready>
      </Panel>
      <LatestTransfers subject={`token ${address}`} filters={transfersOfToken(address)} />
    </>
  )
}

export const TokenPage = ({ address }: { readonly address: string }) =>
  isAddressText(address) ? (
    <Known address={address as Hex} />
  ) : (
    <>
      <h1>Token</h1>
      <Notice>
        <ChainText text={address} /> is not an address.
      </Notice>
    </>
  )
