import { BASE_IDS } from './messages.ts'

/** A protocol that a node offers, such as eth/68. */
export type Capability = { readonly name: string; readonly version: number }

export type EthVersion = 66 | 68 | 69

/** What this node offers: Besu speaks eth/68 from 23.1 on and eth/69 from 25.7 on, GoQuorum no later version than eth/66. */
export const OFFERED_CAPABILITIES: readonly Capability[] = [
  { name: 'eth', version: 66 },
  { name: 'eth', version: 68 },
  { name: 'eth', version: 69 },
  { name: 'istanbul', version: 100 },
]

/** Number of message ids of each protocol. */
const ETH_IDS: Readonly<Record<EthVersion, number>> = { 66: 17, 68: 17, 69: 18 }
const ISTANBUL_IDS = 22

/** Protocols that both sides of a connection speak, and the id of the first message of each. */
export type Agreed = {
  readonly eth: { readonly version: EthVersion; readonly offset: number; readonly ids: number }
  /** Undefined when the other side does not support istanbul. */
  readonly istanbul: { readonly offset: number; readonly ids: number } | undefined
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
  const istanbul = { offset: BASE_IDS + ids, ids: ISTANBUL_IDS }
  return { eth, istanbul: offers(theirs, 'istanbul', 100) ? istanbul : undefined }
}

/** For logs and `admin_peers`: `eth/68`. */
export const capabilityText = ({ name, version }: Capability): string => `${name}/${version}`
