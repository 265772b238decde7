import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '../../core/bytes/bytes.ts'
import { fromHex, toBareHex } from '../../core/bytes/hex.ts'

/** The parts of `enode://<public key>@host:port?discport=port`. */
export type Enode = {
  /** 64 bytes: both coordinates of the node key. */
  readonly publicKey: Uint8Array
  /** A host name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string
  /** TCP, 1 to 65535. */
  readonly port: number
  /** UDP port, if given; over devp2p, where it is that of the connections unless given, and 0 for none. */
  readonly discoveryPort?: number
}

/** RFC 1035: a name has at most 253 characters. */
const HOST_LENGTH_MAX = 253
const NODE_ID = /^[0-9a-fA-F]{128}$/
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
const IPV6 = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/
/** Labels of letters, digits, inner hyphens, and underscores, which container names have. */
const NAME =
  /^[a-zA-Z0-9_](?:[a-zA-Z0-9_-]*[a-zA-Z0-9_])?(?:\.[a-zA-Z0-9_](?:[a-zA-Z0-9_-]*[a-zA-Z0-9_])?)*\.?$/

const FORMAT = 'enode://<node_id>@<ip>:<listening_port>[?discport=<discovery_port>]'

/** A numeric address in its shortest form: an IPv4-mapped IPv6 address is the IPv4 address. */
export const unmappedAddress = (host: string): string => host.replace(/^::ffff:(?=\d+\.)/i, '')

/** The kind of a host: a numeric address of a family, or a name to be resolved; undefined when it is neither. */
export const hostKind = (host: string): 'ip4' | 'ip6' | 'name' | undefined => {
  if (IPV4.test(host)) return host.split('.').every(part => Number(part) <= 255) ? 'ip4' : undefined
  if (host.includes(':')) return isIpv6(host) ? 'ip6' : undefined
  return host.length <= HOST_LENGTH_MAX && NAME.test(host) ? 'name' : undefined
}

const isIpv6 = (host: string): boolean => IPV6.test(host) && URL.canParse(`http://[${host}]/`)

/**
 * Reads an enode URL; host names and bracketed IPv6 addresses are allowed.
 * @throws EnodeError whose text follows Besu's.
 */
export const parseEnode = (text: string): Enode => {
  const fail = (code: EnodeErrorCode, detail: string): never => {
    throw new EnodeError(code, text, detail)
  }
  const parts = /^enode:\/\/([^@/?#]*)@(\[[^\]]*\]|[^:/?#]*)(?::([^/?#]*))?\/?(?:\?(.*))?$/.exec(text.trim())
  if (parts === null) return fail('SYNTAX', 'It is not an enode URL.')
  const [, id = '', bracketed = '', port = '', query] = parts
  if (!NODE_ID.test(id))
    return fail(
      'INVALID_NODE_ID',
      "Invalid node ID: node ID must have exactly 128 hexadecimal characters and should not include any '0x' hex prefix.",
    )
  const publicKey = fromHex(id)
  if (!isOnCurve(publicKey))
    return fail('NODE_ID_NOT_A_KEY', 'Invalid node ID: it is not a secp256k1 public key.')
  const host = bracketed.startsWith('[') ? bracketed.slice(1, -1) : bracketed
  const kind = hostKind(host)
  if (kind === undefined || (kind === 'ip6') !== bracketed.startsWith('['))
    return fail('INVALID_HOST', 'Invalid ip address or host name.')
  if (!isPort(port)) return fail('INVALID_PORT', 'Invalid listening port.')
  const discovery = query === undefined ? undefined : /^discport=(\d{1,5})$/.exec(query)?.[1]
  if (query !== undefined && (discovery === undefined || Number(discovery) > 65_535))
    return fail('INVALID_PORT', 'Invalid discovery port.')
  return {
    publicKey,
    host,
    port: Number(port),
    ...(discovery === undefined ? {} : { discoveryPort: Number(discovery) }),
  }
}

const isPort = (text: string): boolean =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535

export const isOnCurve = (publicKey: Uint8Array): boolean => {
  try {
    secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(4), publicKey)).assertValidity()
    return true
  } catch {
    // noble throws for an invalid point.
    return false
  }
}

/** The enode URL; IPv6 addresses in brackets. */
export const formatEnode = ({ publicKey, host, port, discoveryPort }: Enode): string => {
  const shown = host.includes(':') ? `[${host}]` : host
  const query = discoveryPort === undefined ? '' : `?discport=${discoveryPort}`
  return `enode://${toBareHex(publicKey)}@${shown}:${port}${query}`
}

export type EnodeErrorCode =
  | 'SYNTAX'
  | 'INVALID_NODE_ID'
  /** Not a point of the curve: no node can have it. */
  | 'NODE_ID_NOT_A_KEY'
  | 'INVALID_HOST'
  | 'INVALID_PORT'
  /** It is the node's own. */
  | 'LOCAL_NODE'

/** An enode URL that cannot be used. */
export class EnodeError extends Error {
  override readonly name = 'EnodeError'
  readonly code: EnodeErrorCode
  /** What is wrong with it, without the URL. */
  readonly detail: string
  constructor(code: EnodeErrorCode, text: string, detail: string) {
    super(
      code === 'LOCAL_NODE'
        ? detail
        : `Invalid enode URL syntax '${text}'. Enode URL should have the following format '${FORMAT}'. ${detail}`,
    )
    this.code = code
    this.detail = detail
  }
}
