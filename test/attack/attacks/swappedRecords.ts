import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { changeWhileOpen, doubleSignatures } from '../../cluster/support/forget.ts'
import { untilBlocks } from '../../cluster/support/waiting.ts'
import { type Attack, SHORT_ROUNDS } from '../attack.ts'

const VICTIM = 3
/** The validator whose files come in the place of the victim's: it does not run meanwhile. */
const OTHER = 4

const SIGNS_NOTHING = /signs nothing until a quorum of validators has reported its height and round/
const VOTES_FOR_NOBODY = /It votes for nobody: propose them again/

const folderOf = (cluster: Cluster, index: number): string => {
  const folder = join(cluster.dataPath(index), 'validator')
  const [name] = readdirSync(folder)
  if (name === undefined) throw new Error(`validator ${index} has no record`)
  return join(folder, name)
}

type Way = {
  readonly change: (cluster: Cluster, own: string, other: string) => void
  /** What the validator must say; undefined where nothing is lost. */
  readonly says: RegExp | undefined
}

const takeFrom = (own: string, other: string, ...names: readonly string[]): void => {
  for (const name of names) copyFileSync(join(other, name), join(own, name))
}

const WAYS: Readonly<Record<string, Way>> = {
  'the record of another validator': {
    change: (_, own, other) => takeFrom(own, other, 'record.0', 'record.1'),
    says: SIGNS_NOTHING,
  },
  'one file of the record of another validator': {
    change: (_, own, other) => takeFrom(own, other, 'record.1'),
    says: SIGNS_NOTHING,
  },
  'the two files of the record exchanged': {
    change: (_, own) => {
      renameSync(join(own, 'record.0'), join(own, 'kept'))
      renameSync(join(own, 'record.1'), join(own, 'record.0'))
      renameSync(join(own, 'kept'), join(own, 'record.1'))
    },
    says: SIGNS_NOTHING,
  },
  'a record cut to half': {
    change: (_, own) => {
      const path = join(own, 'record.0')
      truncateSync(path, readFileSync(path).length >> 1)
    },
    says: SIGNS_NOTHING,
  },
  'the segments of another validator': {
    change: cluster => {
      const [from, to] = [OTHER, VICTIM].map(index => join(cluster.dataPath(index), 'chain'))
      for (const name of ['segments.sqlite', 'segments.sqlite-wal', 'segments.sqlite-shm']) {
        rmSync(join(to as string, name), { force: true })
        if (existsSync(join(from as string, name)))
          copyFileSync(join(from as string, name), join(to as string, name))
      }
    },
    says: undefined,
  },
  'the votes of another validator': {
    change: (_, own, other) => takeFrom(own, other, 'votes.json'),
    says: VOTES_FOR_NOBODY,
  },
  'votes cut to half': {
    change: (_, own) => {
      const path = join(own, 'votes.json')
      truncateSync(path, readFileSync(path).length >> 1)
    },
    says: VOTES_FOR_NOBODY,
  },
  'evidence that is noise': {
    change: (_, own) => writeFileSync(join(own, 'evidence-0.json'), 'noise'),
    says: undefined,
  },
}

/** A node that refuses to start must say in words what to do: delete the views, or the chain. */
const startAgain = async (cluster: Cluster, what: string, refusal: string): Promise<readonly string[]> => {
  rmSync(join(cluster.dataPath(VICTIM), 'chain'), { recursive: true, force: true })
  await cluster.start(VICTIM)
  await untilBlocks(cluster, 2)
  return /\n\s+at /.test(refusal) || !/delete|put back/i.test(refusal)
    ? [`${what}: the node did not say what to do: ${refusal}`]
    : []
}

/** Each for another account, so that none of them is voted in. */
const proposeVotes = async (cluster: Cluster): Promise<void> => {
  for (const index of [OTHER, VICTIM])
    await cluster.node(index).rpc('qbft_proposeValidatorVote', `0x${String(index).repeat(40)}`, true)
}

export const swappedRecords: Attack = {
  name: 'swapped-records',
  what: `Exchanges or cuts what a validator keeps about its signatures, votes and blocks, in ${Object.keys(WAYS).length} ways, while the height it signed in is open.`,
  network: SHORT_ROUNDS,
  // As in restored-copy: two of four are no quorum until the victim is back and may sign.
  limits: { blockGapMs: 30_000, answerMs: 5_000, transferBlocks: 10 },
  run: async ({ cluster, random, say }) => {
    const faults: string[] = []
    for (const [what, { change, says }] of Object.entries(WAYS)) {
      if (!cluster.running().includes(OTHER)) await cluster.start(OTHER)
      await proposeVotes(cluster)
      try {
        await changeWhileOpen(cluster, { index: VICTIM, away: OTHER }, random, () =>
          change(cluster, folderOf(cluster, VICTIM), folderOf(cluster, OTHER)),
        )
      } catch (error) {
        faults.push(...(await startAgain(cluster, what, String(error))))
      }
      if (says !== undefined && !says.test(cluster.node(VICTIM).output()))
        faults.push(`${what}: the validator did not say what that means`)
      say(`${what}: blocks go on`)
    }
    await cluster.start(OTHER)
    return [...faults, ...doubleSignatures(cluster)]
  },
}
