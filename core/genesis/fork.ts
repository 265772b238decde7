/** All forks in order; the position is the rank. Standard names; Constantinople without EIP-1283 is `petersburg`. */
export const FORKS = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

export type ForkName = (typeof FORKS)[number]

const RANKS: ReadonlyMap<ForkName, number> = new Map(FORKS.map((fork, rank) => [fork, rank]))

const forkRank = (fork: ForkName): number => RANKS.get(fork) as number

/** True when `fork` is `since` or a later fork. */
export const forkIsAtLeast = (fork: ForkName, since: ForkName): boolean => forkRank(fork) >= forkRank(since)
