import { checksummed, shorten } from '../format/hex.ts'
import { formatInteger } from '../format/quantity.ts'
import { nameOf } from '../chain/names.ts'
import { ChainText } from './ChainText.tsx'
import type { Hex } from '../rpc/types.ts'

export const BlockLink = ({ number }: { readonly number: bigint }) => (
  <a href={`/block/${number}`}>{formatInteger(number)}</a>
)

export const TransactionLink = ({
  hash,
  whole = false,
}: {
  readonly hash: Hex
  readonly whole?: boolean
}) => (
  <a class="hash" href={`/tx/${hash}`} title={hash}>
    {whole ? hash : shorten(hash)}
  </a>
)

/** An address with its checksum, or its name in this browser. */
export const AddressLink = ({
  address,
  whole = false,
}: {
  readonly address: Hex
  readonly whole?: boolean
}) => {
  const name = nameOf(address)
  const shown = checksummed(address)
  return (
    <a class="hash" href={`/address/${shown}`} title={shown}>
      {name === undefined || whole ? whole ? shown : shorten(shown, 8, 6) : <ChainText text={name} />}
    </a>
  )
}
