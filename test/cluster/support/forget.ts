import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { seededRandom } from '../../support/random.ts'
import type { Cluster } from './cluster.ts'
import { untilBlocks } from './waiting.ts'

/** How a stopped validator comes to forget what it signed, or by the advice for damaged views does not. */
export const FORGETTING_WAYS = [
  'views deleted',
  'record deleted',
  'folder emptied',
  'folder restored from a copy',
] as const
export type ForgettingWay = (typeof FORGETTING_WAYS)[number]

const WAYS: Readonly<Record<ForgettingWay, (cluster: Cluster, index: number, copy: string) => void>> = {
  'views deleted': (cluster, index) => {
    const chain = join(cluster.dataPath(index), 'chain')
    for (const name of readdirSync(chain)) if (name.startsWith('views')) rmSync(join(chain, name))
  },
  'record deleted': (cluster, index) =>
    rmSync(join(cluster.dataPath(index), 'validator'), { recursive: true, force: true }),
  'folder emptied': (cluster, index) => cluster.wipe(index),
  'folder restored from a copy': (cluster, index, copy) => {
    rmSync(cluster.dataPath(index), { recursive: true, force: true })
    cpSync(copy, cluster.dataPath(index), { recursive: true })
  },
}

/** Copies the data folder of a validator as a kill left it, and starts it again. */
export const takeCopy = async (cluster: Cluster, index: number, copy: string): Promise<void> => {
  await cluster.kill(index)
  cpSync(cluster.dataPath(index), copy, { recursive: true })
  await cluster.start(index)
}

type Pair = { readonly index: number; readonly away: number }
export type Tried = Pair & { readonly copy: string }

/**
 * Kills a validator at a random moment together with another one, so that the height which it signed in stays open, changes its
 * files, and brings it back with the other one still away: blocks go on only with its signatures.
 */
export const changeWhileOpen = async (
  cluster: Cluster,
  { index, away }: Pair,
  { below }: ReturnType<typeof seededRandom>,
  change: () => void,
): Promise<void> => {
  if (!cluster.running().includes(away)) await cluster.start(away)
  await untilBlocks(cluster, 2)
  await Bun.sleep(below(1_000))
  await cluster.kill(index, away)
  change()
  await cluster.start(index)
  await untilBlocks(cluster, 2)
}

/** Brings a validator back forgetful. */
export const forgetOnce = async (
  cluster: Cluster,
  tried: Tried,
  way: ForgettingWay,
  random: ReturnType<typeof seededRandom>,
): Promise<void> => {
  const { index, copy } = tried
  if (way === 'folder restored from a copy' && !existsSync(copy)) await takeCopy(cluster, index, copy)
  await changeWhileOpen(cluster, tried, random, () => WAYS[way](cluster, index, copy))
}

/** The lines of all nodes that run about a validator that signed twice. */
export const doubleSignatures = (cluster: Cluster): readonly string[] =>
  cluster
    .running()
    .flatMap(index => cluster.node(index).output().split('\n'))
    .filter(line => line.includes('signed two different messages'))
