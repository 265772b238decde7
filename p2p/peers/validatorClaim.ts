import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { PeerStatus } from '../network.ts'
import type { PeerConnection } from './connection.ts'
import type { ConnectionManagerOptions } from './connectionManager.ts'
import type { PeerEntry } from './peerTable.ts'
import { statementSigner } from '../validatorStatement.ts'

const endpointOf = ({ remoteHost, remotePort }: PeerConnection): string =>
  `${remoteHost.includes(':') ? `[${remoteHost}]` : remoteHost}:${remotePort}`

type Claim =
  | { readonly kind: 'accepted'; readonly address: Address }
  /** The validator is connected with an older key: that connection has to end first. */
  | { readonly kind: 'replaces'; readonly current: PeerEntry }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Another node with its key, or with the key of its validator, is connected or is this one. */
  | { readonly kind: 'key-in-use'; readonly reason: string }

/** A node that has the validator's key itself needs no statement, and none replaces it. */
const timeOf = ({ statement }: PeerStatus): number => statement?.madeAtMs ?? Infinity

/** That of the connection key, or with a statement that of the validator; undefined for a statement that is not valid. */
export const claimedAddress = (
  { address, publicKey }: Pick<PeerConnection, 'address' | 'publicKey'>,
  { statement, genesisHash }: PeerStatus,
): Address | undefined =>
  statement === undefined ? address : statementSigner(statement, genesisHash, publicKey)

/** The open connection of another node with the same connection key; that of one that has ended may stay open for a while. */
const connectedWithKey = (
  entry: PeerEntry | undefined,
  instance: string | undefined,
): PeerConnection | undefined =>
  instance === undefined
    ? undefined
    : entry?.connections.find(
        ({ stage, remote }) =>
          stage === 'established' && remote?.instance !== undefined && remote.instance !== instance,
      )

/** Checks the address that a node claims. */
export const checkClaim = (
  {
    table,
    ownAddress,
    otherWithKey,
  }: Pick<ConnectionManagerOptions, 'table' | 'ownAddress' | 'otherWithKey'>,
  connection: Pick<PeerConnection, 'id' | 'address' | 'publicKey'>,
  { status, instance }: { readonly status: PeerStatus; readonly instance?: string },
): Claim => {
  const address = claimedAddress(connection, status)
  if (address === undefined)
    return { kind: 'refused', reason: 'the signature of its statement of a validator is not valid' }
  if (equalBytes(address, ownAddress))
    return {
      kind: 'key-in-use',
      reason: `it has the validator key of this node, ${toHex(address)}: stop one of the two`,
    }
  const before = table.get(connection.id)
  const other = connectedWithKey(before, instance)
  const endpoint = other === undefined ? otherWithKey({ address, instance, status }) : endpointOf(other)
  if (endpoint !== undefined)
    return { kind: 'key-in-use', reason: `another node with its key is connected from ${endpoint}` }
  if (before !== undefined && !equalBytes(before.peer.address, address))
    return { kind: 'refused', reason: `it is connected as ${toHex(before.peer.address)}` }
  const current = table.ofAddress(address)
  if (current === undefined || current === before) return { kind: 'accepted', address }
  if (timeOf(status) > timeOf(current.peer.status)) return { kind: 'replaces', current }
  return { kind: 'key-in-use', reason: `another node is connected for the validator ${toHex(address)}` }
}
