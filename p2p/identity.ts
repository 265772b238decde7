import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '../core/bytes/bytes.ts'
import { toBareHex } from '../core/bytes/hex.ts'
import { addressOfPublicKey } from '../core/crypto/crypto.ts'
import { type Enode, hostKind } from './enode.ts'

/** What a node is known by here: the address of its key, 64 bytes, as bare hex digits. */
export const idOf = (publicKey: Uint8Array): string => toBareHex(addressOfPublicKey(publicKey))

/** The libp2p name of a node key, given as 64 bytes: it embeds the compressed key. */
export const peerIdOf = (publicKey: Uint8Array): PeerId =>
  peerIdFromPublicKey(
    publicKeyFromRaw(secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(4), publicKey)).toBytes(true)),
  )

/** Keys that are remembered: of all peers and some strangers. */
const KEYS_MAX = 256
const keys = new Map<string, Uint8Array>()

/** 64 bytes of the key behind a libp2p name; undefined when it is not a secp256k1 one. */
export const keyOfPeerId = (peerId: PeerId): Uint8Array | undefined => {
  if (peerId.type !== 'secp256k1') return undefined
  const name = peerId.toString()
  const known = keys.get(name)
  if (known !== undefined) return known
  // A square root in a field of 256 bits.
  const key = secp256k1.Point.fromBytes(peerId.publicKey.raw).toBytes(false).slice(1)
  keys.set(name, key)
  const [oldest] = keys.keys()
  if (keys.size > KEYS_MAX && oldest !== undefined) keys.delete(oldest)
  return key
}

/** Where to dial an enode: the name is looked up when it is dialed, the key must be the enode's. */
export const dialAddressOf = ({ publicKey, host, port }: Enode): Multiaddr =>
  listenAddressOf(host, port).encapsulate(`/p2p/${peerIdOf(publicKey).toString()}`)

/** A TCP port on a numeric address or a host name, as libp2p writes it. */
export const listenAddressOf = (host: string, port: number): Multiaddr => {
  const kind = hostKind(host)
  return multiaddr(`/${kind === 'ip4' || kind === 'ip6' ? kind : 'dns'}/${host}/tcp/${port}`)
}

/** The host and TCP port in a libp2p address; an IPv4 address within IPv6 is given as IPv4. */
export const endpointOf = (address: Multiaddr): { readonly host: string; readonly port: number } => {
  const components = address.getComponents()
  const host = components.find(({ name }) => /^(?:ip[46]|dns[46]?)$/.test(name))?.value ?? ''
  const port = components.find(({ name }) => name === 'tcp')?.value ?? '0'
  return { host: host.replace(/^::ffff:(?=\d+\.)/i, ''), port: Number(port) }
}
