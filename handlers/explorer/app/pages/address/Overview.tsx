import { tokenOf } from '../../chain/tokens.ts'
import { nameOf } from '../../chain/names.ts'
import { formatBytes, formatEther, formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { Details } from '../../parts/Details.tsx'
import { ChainText } from '../../parts/ChainText.tsx'
import { AddressLink, TransactionLink } from '../../parts/Links.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import type { Account } from './address.tsx'

const HEX_PREFIX = 2

/** Code of an account that delegates to a contract (EIP-7702). */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/

type Creator = { readonly hash: Hex; readonly creator: Hex } | null

/** Known to a node with an index. */
const CreatorOf = ({ address }: { readonly address: Hex }) => {
  const { value } = useLoaded(`creator ${address}`, () => call<Creator>('ots_getContractCreator', address))
  if (value === undefined || value === null) return <>not known to this node</>
  return (
    <>
      <AddressLink address={value.creator} /> in <TransactionLink hash={value.hash} />
    </>
  )
}

const TokenOf = ({ address }: { readonly address: Hex }) => {
  const { value } = useLoaded(`token ${address}`, () => tokenOf(address))
  if (value?.kind === undefined) return <>no</>
  return (
    <a href={`/token/${address}`}>
      {value.kind} <ChainText text={value.name ?? value.symbol ?? ''} />
    </a>
  )
}

export const AccountOverview = ({
  address,
  account,
}: {
  readonly address: Hex
  readonly account: Account
}) => {
  const { balance, nonce, code } = account
  const delegate = DELEGATION.exec(code)?.[1]
  const isContract = code !== '0x' && delegate === undefined
  return (
    <Details
      rows={[
        ['Name', nameOf(address)],
        ['Balance', formatEther(balance)],
        [
          isContract ? 'Contracts created' : 'Transactions sent',
          formatInteger(isContract && nonce > 0n ? nonce - 1n : nonce),
        ],
        [
          'Acts as',
          delegate === undefined ? undefined : <AddressLink key="as" address={`0x${delegate}`} whole />,
        ],
        ['Code', isContract ? formatBytes((code.length - HEX_PREFIX) / 2) : undefined],
        ['Created by', isContract ? <CreatorOf key="creator" address={address} /> : undefined],
        ['Token', isContract ? <TokenOf key="token" address={address} /> : undefined],
      ]}
    />
  )
}
