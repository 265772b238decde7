import { forkIsAtLeast } from '../../genesis/fork.ts'
import { excessBlobGasAfter, GAS_PER_BLOB, maxBlobGas } from '../fees/blobFee.ts'
import type { HeaderContext, HeaderRule } from './context.ts'
import { InvalidBlock, requirePresence, requireSameNumber } from './invalidBlock.ts'

type PresenceRule = HeaderRule<Pick<HeaderContext, 'header' | 'rules'>>

/** EIP-4895: from Shanghai. */
export const withdrawalsRootPresence: PresenceRule = ({ header, rules }) =>
  requirePresence(
    header,
    'withdrawals-root-presence',
    forkIsAtLeast(rules.fork, 'shanghai'),
    header.withdrawalsRoot !== undefined,
    'withdrawalsRoot',
  )

/** EIP-4844: both or none, from Cancun. */
export const blobFieldsPresence: PresenceRule = ({ header, rules }) => {
  const expected = forkIsAtLeast(rules.fork, 'cancun')
  requirePresence(header, 'blob-fields-presence', expected, header.blobGasUsed !== undefined, 'blobGasUsed')
  requirePresence(
    header,
    'blob-fields-presence',
    expected,
    header.excessBlobGas !== undefined,
    'excessBlobGas',
  )
}

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

/** EIP-4788: from Cancun. */
export const beaconRootPresence: PresenceRule = ({ header, rules }) =>
  requirePresence(
    header,
    'beacon-root-presence',
    forkIsAtLeast(rules.fork, 'cancun'),
    header.parentBeaconBlockRoot !== undefined,
    'parentBeaconBlockRoot',
  )

/** EIP-7685: from Prague. */
export const requestsHashPresence: PresenceRule = ({ header, rules }) =>
  requirePresence(
    header,
    'requests-hash-presence',
    forkIsAtLeast(rules.fork, 'prague'),
    header.requestsHash !== undefined,
    'requestsHash',
  )

/**
 * QBFT has no beacon chain: the proposers of Besu and of this node omit `parentBeaconBlockRoot` from Cancun on, and with it
 * `requestsHash`, because a header's RLP ends at the first absent field. Besu has no rule on either, so headers with these
 * fields (as earlier versions wrote them) are accepted if the fork has them; from Prague on, only with both.
 */
export const qbftTrailingFields: HeaderRule = context => {
  if (context.header.parentBeaconBlockRoot === undefined && context.header.requestsHash === undefined) return
  beaconRootPresence(context)
  requestsHashPresence(context)
}
