import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { siteNetwork } from '../../transport/addressNetwork.ts'
import type { Endpoint } from './endpoint.ts'

/** Nodes that are known; those whose answer is oldest are evicted first. */
const NODES_MAX = 512
/** A node answers requests for this long after the pong of the other side (discv4.md, "Endpoint Proof"). */
const BOND_MS = 12 * 3_600_000
/** A pong that takes longer proves nothing. */
const PONG_MS = 5_000
/** Maximum nodes of one network of 256 public IPv4 addresses, or of 48 bits of IPv6: no single owner can fill the table. */
const SITE_MAX = 8

/** A node that pinged this one, or was pinged. */
export type Bond = {
  readonly id: string
  readonly publicKey: Uint8Array
  /** keccak of the key: distances are measured between these. */
  readonly position: Hash
  endpoint: Endpoint
  /** The ping that is not answered yet, and where it was sent. */
  pingHash: Hash | undefined
  pinged: Endpoint
  pingedAtMs: number
  /** When it proved its endpoint. */
  pongAtMs: number
  /** When it was last asked for its neighbors; answers that nobody asked for are ignored. */
  askedAtMs: number
}

export type Bonds = {
  get(publicKey: Uint8Array): Bond | undefined
  /** The node with this key, new ones with this endpoint; undefined when its network has too many already. */
  of(publicKey: Uint8Array, endpoint: Endpoint): Bond | undefined
  /** False when the node would move to a network that has too many already. */
  mayMove(bond: Bond, endpoint: Endpoint): boolean
  isBonded(bond: Bond): boolean
  /** Whether a pong to this ping proves the endpoint. */
  awaitsPong(bond: Bond): boolean
  /** The nodes that proved their endpoints, the closest to the target first. */
  closest(target: Uint8Array, count: number): readonly Bond[]
}

const distance = (a: Hash, b: Hash): bigint => BigInt(`0x${toBareHex(a)}`) ^ BigInt(`0x${toBareHex(b)}`)

export const createBonds = (nowMs: () => number): Bonds => {
  const nodes = new Map<string, Bond>()
  const isBonded = ({ pongAtMs }: Bond): boolean => nowMs() - pongAtMs < BOND_MS

  const evict = (): void => {
    if (nodes.size < NODES_MAX) return
    let oldest: Bond | undefined
    for (const bond of nodes.values())
      if (oldest === undefined || bond.pongAtMs < oldest.pongAtMs) oldest = bond
    if (oldest !== undefined) nodes.delete(oldest.id)
  }

  const isSiteFull = ({ host }: Endpoint): boolean => {
    const site = siteNetwork(host)
    if (site === undefined) return false
    let count = 0
    for (const { endpoint } of nodes.values()) if (siteNetwork(endpoint.host) === site) count++
    return count >= SITE_MAX
  }

  return {
    get: publicKey => nodes.get(toBareHex(publicKey)),
    of: (publicKey, endpoint) => {
      const id = toBareHex(publicKey)
      const known = nodes.get(id)
      if (known !== undefined) return known
      if (isSiteFull(endpoint)) return undefined
      evict()
      const never = Number.NEGATIVE_INFINITY
      const bond: Bond = {
        id,
        publicKey,
        position: keccak256(publicKey),
        endpoint,
        pingHash: undefined,
        pinged: endpoint,
        pingedAtMs: never,
        pongAtMs: never,
        askedAtMs: never,
      }
      nodes.set(id, bond)
      return bond
    },
    mayMove: (bond, endpoint) =>
      siteNetwork(bond.endpoint.host) === siteNetwork(endpoint.host) || !isSiteFull(endpoint),
    isBonded,
    awaitsPong: ({ pingedAtMs }) => nowMs() - pingedAtMs < PONG_MS,
    closest: (target, count) => {
      const position = keccak256(target)
      return [...nodes.values()]
        .filter(isBonded)
        .map(bond => ({ bond, distance: distance(bond.position, position) }))
        .sort((a, b) => (a.distance < b.distance ? -1 : 1))
        .slice(0, count)
        .map(({ bond }) => bond)
    },
  }
}
