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

export type Tried = { readonly index: number; readonly away: number; readonly copy: string }

/**
 * Kills a validator at a random moment together with another one, so that the height which it signed in stays open, and brings it
 * back, forgetful, with the other one still away: blocks go on only with its signatures.
 */
export const forgetOnce = async (
  cluster: Cluster,
  { index, away, copy }: Tried,
  way: ForgettingWay,
  { below }: ReturnType<typeof seededRandom>,
): Promise<void> => {
  if (way === 'folder restored from a copy' && !existsSync(copy)) await takeCopy(cluster, index, copy)
  if (!cluster.running().includes(away)) await cluster.start(away)
  await untilBlocks(cluster, 2)
  await Bun.sleep(below(1_000))
  await cluster.kill(index, away)
  WAYS[way](cluster, index, copy)
  await cluster.start(index)
  await untilBlocks(cluster, 2)
}

/** The lines of all nodes that run about a validator that signed twice. */
export const doubleSignatures = (cluster: Cluster): readonly string[] =>
  cluster
    .running()
    .flatMap(index => cluster.node(index).output().split('\n'))
    .filter(line => line.includes('signed two different messages'))
