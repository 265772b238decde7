import { GAS_PER_BLOB } from '../../block/transaction.ts'
import type { Header } from '../../block/header.ts'
import { type ForkName, forkIsAtLeast } from '../../genesis/fork.ts'
import { excessBlobGasAfter, maxBlobGas } from '../fees/blobFee.ts'
import type { HeaderContext, HeaderRule } from './context.ts'
import { InvalidBlock, requirePresence, requireSameNumber, type RuleName } from './invalidBlock.ts'

type PresenceRule = HeaderRule<Pick<HeaderContext, 'header' | 'rules'>>

/** A rule that the fields are present from a fork on, and absent before. */
const presentSince =
  (rule: RuleName, since: ForkName, ...fields: readonly (keyof Header)[]): PresenceRule =>
  ({ header, rules }) => {
    const expected = forkIsAtLeast(rules.fork, since)
    for (const field of fields) requirePresence(header, rule, expected, header[field] !== undefined, field)
  }

/** EIP-1559. */
export const baseFeePresence = presentSince('base-fee-presence', 'london', 'baseFeePerGas')

/** EIP-4895. */
export const withdrawalsRootPresence = presentSince(
  'withdrawals-root-presence',
  'shanghai',
  'withdrawalsRoot',
)

/** EIP-4844. */
export const blobFieldsPresence = presentSince(
  'blob-fields-presence',
  'cancun',
  'blobGasUsed',
  'excessBlobGas',
)

/** EIP-4788. */
export const beaconRootPresence = presentSince('beacon-root-presence', 'cancun', 'parentBeaconBlockRoot')

/** EIP-7685. */
export const requestsHashPresence = presentSince('requests-hash-presence', 'prague', 'requestsHash')

/** EIP-4844 and EIP-7840: whole blobs, at most as many as the schedule allows. */
export const blobGasLimit: HeaderRule = ({ header, rules }) => {
  if (header.blobGasUsed === undefined || rules.blob === undefined) return
  const most = maxBlobGas(rules.blob)
  if (header.blobGasUsed > most || header.blobGasUsed % GAS_PER_BLOB !== 0n)
    throw new InvalidBlock(
      header,
      'blob-gas-limit',
      `a multiple of ${GAS_PER_BLOB} up to ${most}`,
      String(header.blobGasUsed),
    )
}

/** EIP-4844 and EIP-7918. */
export const excessBlobGas: HeaderRule = ({ header, rules, parent }) => {
  if (header.excessBlobGas === undefined || rules.blob === undefined) return
  const expected = excessBlobGasAfter(rules, rules.blob, parent.header)
  requireSameNumber(header, 'excess-blob-gas', expected, header.excessBlobGas)
}

/**
 * QBFT has no beacon chain: proposers write zeros as the `parentBeaconBlockRoot` from Cancun on, and from Prague on the
 * `requestsHash`, without which Besu refuses a block since 26.8. Blocks that end before both fields (those of releases up
 * to November 2026, and of Besu before 25.10) stay valid; with the fields, from Prague on a block needs both.
 */
export const qbftTrailingFields: HeaderRule = context => {
  if (context.header.parentBeaconBlockRoot === undefined && context.header.requestsHash === undefined) return
  beaconRootPresence(context)
  requestsHashPresence(context)
}
