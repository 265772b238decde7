import { BASE_IDS } from './messages.ts'

/** A protocol that a node offers, such as eth/68. */
export type Capability = { readonly name: string; readonly version: number }

export type EthVersion = 66 | 68 | 69

/**
 * What this node offers. Besu speaks eth/68 from 23.1 on and eth/69 from 25.7 on, GoQuorum no later version than eth/66. Nodes of this
 * software tell each other their neighbours over quorate/1, which others ignore; it sorts last, so that no id of theirs moves.
 */
export const OFFERED_CAPABILITIES: readonly Capability[] = [
  { name: 'eth', version: 66 },
  { name: 'eth', version: 68 },
  { name: 'eth', version: 69 },
  { name: 'istanbul', version: 100 },
  { name: 'quorate', version: 1 },
]

/** Number of message ids of each protocol. */
const ETH_IDS: Readonly<Record<EthVersion, number>> = { 66: 17, 68: 17, 69: 18 }
const ISTANBUL_IDS = 22
const QUORATE_IDS = 1

/** Ids of a protocol: those of all agreed protocols follow each other. */
type IdRange = { readonly offset: number; readonly ids: number }

/** Protocols that both sides of a connection speak, and the id of the first message of each. */
export type Agreed = {
  readonly eth: IdRange & { readonly version: EthVersion }
  /** Undefined when the other side does not support istanbul. */
  readonly istanbul: IdRange | undefined
  /** Undefined when the other side runs other software, or an earlier release. */
  readonly quorate: IdRange | undefined
}

const offers = (capabilities: readonly Capability[], name: string, version: number): boolean =>
  capabilities.some(capability => capability.name === name && capability.version === version)

/**
 * The highest shared version of each protocol; ids are given out in the order of the names (rlpx.md, "Message ID-based
 * Multiplexing"). Undefined without a shared version of eth, without which istanbul is of no use.
 */
export const agreeOn = (theirs: readonly Capability[]): Agreed | undefined => {
  const version = ([69, 68, 66] as const).find(version => offers(theirs, 'eth', version))
  if (version === undefined) return undefined
  const ids = ETH_IDS[version]
  const eth = { version, offset: BASE_IDS, ids }
  const istanbul = offers(theirs, 'istanbul', 100) ? { offset: BASE_IDS + ids, ids: ISTANBUL_IDS } : undefined
  const quorate = offers(theirs, 'quorate', 1)
    ? { offset: BASE_IDS + ids + (istanbul?.ids ?? 0), ids: QUORATE_IDS }
    : undefined
  return { eth, istanbul, quorate }
}

/** For logs and `admin_peers`: `eth/68`. */
export const capabilityText = ({ name, version }: Capability): string => `${name}/${version}`
