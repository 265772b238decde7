import type { BlobParameters, ForkActivation } from '../configuration.ts'
import { GenesisError } from '../error.ts'
import type { ForkName } from '../fork.ts'
import { entryOf, int, long, type Section, sectionOf, subsection } from './section.ts'

/** Genesis keys of block forks, in their required order. */
const BLOCK_FORKS: readonly (readonly [key: string, fork: ForkName | undefined])[] = [
  ['homesteadBlock', 'homestead'],
  ['daoForkBlock', undefined],
  ['eip150Block', 'tangerineWhistle'],
  ['eip158Block', 'spuriousDragon'],
  ['byzantiumBlock', 'byzantium'],
  ['constantinopleBlock', 'constantinople'],
  ['petersburgBlock', 'petersburg'],
  ['constantinopleFixBlock', 'petersburg'],
  ['istanbulBlock', 'istanbul'],
  ['muirGlacierBlock', 'muirGlacier'],
  ['berlinBlock', 'berlin'],
  ['londonBlock', 'london'],
  ['arrowGlacierBlock', 'arrowGlacier'],
  ['grayGlacierBlock', 'grayGlacier'],
  ['mergeNetSplitBlock', 'paris'],
]

/** Mainnet's blob parameters (EIP-7840). */
export const CANCUN_BLOBS: BlobParameters = { targetBlobs: 3, maxBlobs: 6, baseFeeUpdateFraction: 3_338_477n }
export const PRAGUE_BLOBS: BlobParameters = { targetBlobs: 6, maxBlobs: 9, baseFeeUpdateFraction: 5_007_716n }
const BPO1: BlobParameters = { targetBlobs: 10, maxBlobs: 15, baseFeeUpdateFraction: 8_346_193n }
const BPO2: BlobParameters = { targetBlobs: 14, maxBlobs: 21, baseFeeUpdateFraction: 11_684_671n }

/** Time forks in order, with their name under `blobSchedule` and mainnet's blob parameters if defined. */
const TIME_FORKS: readonly (readonly [
  key: string,
  fork: ForkName,
  blobs: string,
  mainnet?: BlobParameters,
])[] = [
  ['shanghaiTime', 'shanghai', ''],
  ['cancunTime', 'cancun', 'cancun', CANCUN_BLOBS],
  ['pragueTime', 'prague', 'prague', PRAGUE_BLOBS],
  ['osakaTime', 'osaka', 'osaka', PRAGUE_BLOBS],
  ['bpo1Time', 'osaka', 'bpo1', BPO1],
  ['bpo2Time', 'osaka', 'bpo2', BPO2],
  ['bpo3Time', 'osaka', 'bpo3'],
  ['bpo4Time', 'osaka', 'bpo4'],
  ['bpo5Time', 'osaka', 'bpo5'],
]

/** Keys that change the rules in Besu: ignoring them would define another chain. */
const UNSUPPORTED_FORKS: readonly string[] = [
  'amsterdamTime',
  'futureEipsTime',
  'experimentalEipsTime',
  'classicForkBlock',
  'ecip1015Block',
  'dieHardBlock',
  'gothamBlock',
  'ecip1041Block',
  'atlantisBlock',
  'aghartaBlock',
  'phoenixBlock',
  'thanosBlock',
  'magnetoBlock',
  'mystiqueBlock',
  'spiralBlock',
]

const outOfOrder = (path: string, key: string, at: bigint, earliest: bigint): GenesisError => {
  const name = key.replace(/(Block|Time)$/, '')
  return new GenesisError(
    'CONTRADICTION',
    path,
    `Genesis Config Error: '${name}' is scheduled for milestone ${at} but it must be on or after milestone ${earliest}.`,
  )
}

const required = (section: Section, key: string): number => {
  const value = int(section, key)
  if (value === undefined) throw new GenesisError('INVALID_VALUE', section.path, `${key} is missing`)
  return value
}

const parseBlobs = (section: Section): BlobParameters => {
  const targetBlobs = required(section, 'target')
  const maxBlobs = required(section, 'max')
  const fraction = required(section, 'baseFeeUpdateFraction')
  if (targetBlobs > maxBlobs)
    throw new GenesisError('CONTRADICTION', section.path, `target ${targetBlobs} is above max ${maxBlobs}`)
  if (fraction === 0)
    throw new GenesisError('INVALID_VALUE', section.path, 'baseFeeUpdateFraction must be greater than zero')
  return { targetBlobs, maxBlobs, baseFeeUpdateFraction: BigInt(fraction) }
}

const blockForks = (config: Section): ForkActivation[] => {
  if (
    entryOf(config, 'petersburgBlock') !== undefined &&
    entryOf(config, 'constantinopleFixBlock') !== undefined
  )
    throw new GenesisError(
      'CONTRADICTION',
      config.path,
      'Genesis files cannot specify both petersburgBlock and constantinopleFixBlock.',
    )
  const forks: ForkActivation[] = [{ fork: 'frontier', blob: undefined, at: { kind: 'block', number: 0n } }]
  let earliest = 0n
  for (const [key, fork] of BLOCK_FORKS) {
    const number = long(config, key)
    if (number === undefined) continue
    const path = entryOf(config, key)?.path ?? key
    if (number < earliest && !(key === 'daoForkBlock' && number === 0n))
      throw outOfOrder(path, key, number, earliest)
    if (fork !== undefined) forks.push({ fork, blob: undefined, at: { kind: 'block', number } })
    if (number > earliest) earliest = number
  }
  return forks
}

const timeForks = (config: Section): ForkActivation[] => {
  const schedule = subsection(config, 'blobSchedule')
  const forks: ForkActivation[] = []
  let earliest = 0n
  for (const [key, fork, blobs, mainnet] of TIME_FORKS) {
    const timestamp = long(config, key)
    if (timestamp === undefined) continue
    const path = entryOf(config, key)?.path ?? key
    if (timestamp < earliest) throw outOfOrder(path, key, timestamp, earliest)
    earliest = timestamp
    const own = schedule === undefined ? undefined : entryOf(schedule, blobs)
    const blob = own === undefined ? mainnet : parseBlobs(sectionOf(own))
    if (blob === undefined && fork !== 'shanghai')
      throw new GenesisError('INVALID_VALUE', path, `needs its parameters: add config.blobSchedule.${blobs}`)
    forks.push({ fork, blob, at: { kind: 'time', timestamp } })
  }
  return forks
}

/** The fork schedule of a genesis file's `config`. @throws GenesisError */
export const parseForks = (config: Section): readonly ForkActivation[] => {
  for (const key of UNSUPPORTED_FORKS) {
    const entry = entryOf(config, key)
    if (entry !== undefined)
      throw new GenesisError('UNSUPPORTED', entry.path, 'this fork is not supported: remove it')
  }
  return [...blockForks(config), ...timeForks(config)]
}

/** The genesis file's names of the forks, such as `londonBlock` or `bpo1Time`; the newer one of two aliases. */
export const forkKeys = (forks: readonly ForkActivation[]): readonly string[] => {
  const counts = new Map<string, number>()
  return forks.map(({ fork, at }) => {
    if (at.kind === 'block') return BLOCK_FORKS.find(([, named]) => named === fork)?.[0] ?? `${fork}Block`
    const index = counts.get(fork) ?? 0
    counts.set(fork, index + 1)
    return TIME_FORKS.filter(([, named]) => named === fork)[index]?.[0] ?? `${fork}Time`
  })
}
