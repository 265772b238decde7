import { InvalidValue } from '../option.ts'

/** Names of `--profile`. */
export const PROFILES = ['NONE', 'DEV', 'ENTERPRISE', 'PRIVATE', 'PERFORMANCE', 'PERFORMANCE_RPC'] as const

export type Profile = (typeof PROFILES)[number]

/** A profile of Besu; case-insensitive. */
export const parseProfile = (text: string): Profile => {
  const found = PROFILES.find(profile => profile === text.toUpperCase())
  if (found !== undefined) return found
  throw new InvalidValue(
    `: expected one of [${PROFILES.join(', ')}] (case-insensitive) but was '${text}'; the profiles of stakers belong to proof of stake`,
  )
}

/** Of Besu's enterprise profile, whose other values are the defaults of this node. */
const ENTERPRISE: ReadonlyMap<string, string> = new Map([
  ['min-gas-price', '0'],
  ['sync-min-peers', '1'],
  ['remote-connections-limit-enabled', 'false'],
  ['tx-pool-no-local-priority', 'true'],
  ['tx-pool-limit-by-account-percentage', '0.15'],
])

const NO_VALUES: ReadonlyMap<string, string> = new Map()

/** The values of Besu's profiles by option name: weaker than any other source, stronger than a default. */
export const profileValues = (name: string | undefined): ReadonlyMap<string, string> =>
  name === 'ENTERPRISE' || name === 'PRIVATE' ? ENTERPRISE : NO_VALUES
