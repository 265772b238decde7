import { fromHex, toBareHex } from '../../../core/bytes/hex.ts'
import { iterateRawItems, rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes, rlpScalar } from '../../../core/rlp/rlp.ts'
import type { Capability } from './capabilities.ts'

/** Version of the base protocol from which on messages are compressed. */
export const BASE_VERSION = 5

export type Hello = {
  readonly version: number
  /** Name and version of the software. */
  readonly client: string
  readonly capabilities: readonly Capability[]
  /** 0 if the node announces no port, or none that exists. */
  readonly port: number
  /** 64 bytes; it has to be the key that the handshake proved. */
  readonly publicKey: Uint8Array
  /** Random for each start of a node of this software, as a further item, which other software ignores (EIP-8). */
  readonly instance?: string | undefined
}

/** No client offers more. */
const CAPABILITIES_MAX = 64
/** The name is logged and shown. */
const CLIENT_LENGTH_MAX = 128
const NAME_LENGTH_MAX = 32
const VERSION_BYTES_MAX = 8
const PORT_MAX = 65_535n
/** Items that are read; later versions may have more. */
const ITEMS = 6
const INSTANCE_BYTES = 8
/** RLP of a string of up to 55 bytes begins with this plus its length. */
const SHORT_STRING = 0x80

export const encodeHello = (hello: Hello): Uint8Array => {
  const { version, client, capabilities, port, publicKey, instance } = hello
  const encoder = new TextEncoder()
  const offered = capabilities.map(({ name, version }) => [encoder.encode(name), version])
  const items = [version, encoder.encode(client), offered, port, publicKey]
  return encodeRlp(instance === undefined ? items : [...items, fromHex(instance)])
}

/** @throws RlpError when the bytes are not a hello */
export const decodeHello = (payload: Uint8Array): Hello => {
  const items: Uint8Array[] = []
  for (const item of iterateRawItems(payload, 'a hello')) {
    if (items.length === ITEMS) break
    items.push(item)
  }
  const [version, client, offered, port, publicKey, further] = items
  const decoder = new TextDecoder()
  const capabilities: Capability[] = []
  for (const item of iterateRawItems(offered, 'the capabilities')) {
    if (capabilities.length === CAPABILITIES_MAX) break
    const [name, version] = rawItems(item, 'a capability', 2) as [Uint8Array, Uint8Array]
    const text = decoder.decode(rawString(name, 'the name of a capability').subarray(0, NAME_LENGTH_MAX))
    const number = rlpScalar(
      rawString(version, 'a version'),
      'the version of a capability',
      VERSION_BYTES_MAX,
    )
    capabilities.push({ name: text, version: Number(number) })
  }
  return {
    version: Number(rlpScalar(rawString(version, 'a version'), 'the version of a hello', VERSION_BYTES_MAX)),
    client: printable(decoder.decode(rawString(client, 'the client').subarray(0, CLIENT_LENGTH_MAX))),
    capabilities,
    port: existingPort(rlpScalar(rawString(port, 'a port'), 'the port of a hello', VERSION_BYTES_MAX)),
    publicKey: rlpBytes(rawString(publicKey, 'a node key'), 'the node key', 64).slice(),
    ...instanceOf(further),
  }
}

/** Ignores an item of any other form: other software may append items of its own. */
const instanceOf = (further: Uint8Array | undefined): Pick<Hello, 'instance'> => {
  const isInstance = further?.length === 1 + INSTANCE_BYTES && further[0] === SHORT_STRING + INSTANCE_BYTES
  return isInstance ? { instance: toBareHex(further.subarray(1)) } : {}
}

/** Names are logged: no control characters. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

const existingPort = (port: bigint): number => (port > PORT_MAX ? 0 : Number(port))
