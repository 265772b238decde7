import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '../../core/bytes/bytes.ts'
import { getOrCreate } from '../../core/collections/boundedMap.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import { type Enode, hostKind, unmappedAddress } from './enode.ts'

/** The id of a node: the address of its 64-byte key in hex digits without 0x. */
export const idOf = (publicKey: Uint8Array): string => toBareHex(addressOfPublicKey(publicKey))

/** The libp2p peer id of a 64-byte node key, which embeds the compressed key. */
export const peerIdOf = (publicKey: Uint8Array): PeerId =>
  peerIdFromPublicKey(
    publicKeyFromRaw(secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(4), publicKey)).toBytes(true)),
  )

/** Cached keys: of all peers and some other nodes. */
const KEYS_MAX = 256
const keys = new Map<string, Uint8Array>()

/** The 64-byte key of a libp2p peer id; undefined when it is not a secp256k1 key. */
export const keyOfPeerId = (peerId: PeerId): Uint8Array | undefined => {
  if (peerId.type !== 'secp256k1') return undefined
  // Decompression takes a square root in a field of 256 bits: worth a cache.
  const decompress = () => secp256k1.Point.fromBytes(peerId.publicKey.raw).toBytes(false).slice(1)
  return getOrCreate(keys, peerId.toString(), decompress, KEYS_MAX)
}

/** The address to dial for an enode: libp2p resolves the name at each dial, and requires the enode's key. */
export const dialAddressOf = ({ publicKey, host, port }: Enode): Multiaddr =>
  listenAddressOf(host, port).encapsulate(`/p2p/${peerIdOf(publicKey).toString()}`)

/** The multiaddr of a TCP port on a numeric address or a host name. */
export const listenAddressOf = (host: string, port: number): Multiaddr => {
  const kind = hostKind(host)
  return multiaddr(`/${kind === 'ip4' || kind === 'ip6' ? kind : 'dns'}/${host}/tcp/${port}`)
}

/** The host and TCP port of a multiaddr; an IPv4-mapped IPv6 address is returned as IPv4. */
export const endpointOf = (address: Multiaddr): { readonly host: string; readonly port: number } => {
  const components = address.getComponents()
  const host = components.find(({ name }) => /^(?:ip[46]|dns[46]?)$/.test(name))?.value ?? ''
  const port = components.find(({ name }) => name === 'tcp')?.value ?? '0'
  return { host: unmappedAddress(host), port: Number(port) }
}
