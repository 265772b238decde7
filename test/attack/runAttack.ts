import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, createCluster } from '../cluster/support/cluster.ts'
import { hashesOf, untilBlocks } from '../cluster/support/waiting.ts'
import type { RuntimeName } from '../runtime/nodeProcess.ts'
import { seededRandom } from '../support/random.ts'
import { type Attack, type Limits, USUAL_LIMITS } from './attack.ts'
import { startWatch } from './startWatch.ts'
import { startTransfers, type Transfers } from './transfers.ts'
import type { Watched } from './watch.ts'

/** Rounds of the usual length, so that what an attack costs shows in the time between blocks. */
const QBFT = { blockperiodseconds: 1, requesttimeoutseconds: 4 }
const TRANSFER_GRACE_MS = 20_000

export type AttackReport = {
  readonly attack: Attack
  readonly watched: Watched
  readonly transfers: Transfers
  /** Sentences; empty where the attack does not bite. */
  readonly faults: readonly string[]
}

const faultsOf = (watched: Watched, transfers: Transfers, limits: Limits): readonly string[] => {
  const faults: string[] = []
  if (watched.longestGapMs > limits.blockGapMs)
    faults.push(`no block for ${(watched.longestGapMs / 1000).toFixed(1)} s`)
  if (watched.longestAnswerMs > limits.answerMs)
    faults.push(`an answer took ${(watched.longestAnswerMs / 1000).toFixed(1)} s`)
  if (watched.growthMb > limits.growthMb) faults.push(`memory grew by ${watched.growthMb.toFixed(0)} MB`)
  if (transfers.mined < transfers.sent)
    faults.push(`${transfers.sent - transfers.mined} of ${transfers.sent} transfers were not mined`)
  if (transfers.slowestBlocks > limits.transferBlocks)
    faults.push(`a transfer was mined after ${transfers.slowestBlocks} blocks`)
  if (transfers.refused > 0) faults.push(`${transfers.refused} transfers were refused`)
  return faults
}

/** After the attack: the nodes that run go on, and have one chain. */
const aftermath = async (cluster: Cluster): Promise<readonly string[]> => {
  try {
    const number = await untilBlocks(cluster, 2)
    const hashes = await hashesOf(cluster, number)
    return hashes.length === 1 ? [] : [`the nodes have different blocks ${number}`]
  } catch (error) {
    return [`no blocks after the attack: ${String(error)}`]
  }
}

/** Starts a network of its own for the attack, attacks it and removes it. */
export const runAttack = async (
  attack: Attack,
  { seed, runtime, say }: { seed: number; runtime: RuntimeName; say: (text: string) => void },
): Promise<AttackReport> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-attack-'))
  const network = typeof attack.network === 'function' ? attack.network(folder) : (attack.network ?? {})
  const cluster = await createCluster({
    folder,
    validators: 4,
    nodes: 4,
    runtimeOf: () => runtime,
    ...network,
    qbft: { xblockperiodmilliseconds: undefined, ...QBFT, ...network.qbft },
  })
  try {
    await cluster.start(...Array.from({ length: network.nodes ?? 4 }, (_, index) => index + 1))
    await untilBlocks(cluster, 2)
    const watch = startWatch(cluster)
    const transfers = startTransfers(cluster)
    const own = await attack
      .run({ cluster, folder, random: seededRandom(seed), say })
      .catch((error: unknown) => [`the attack ended with ${String(error)}`])
    const mined = await transfers.stop(TRANSFER_GRACE_MS)
    const watched = await watch.stop()
    const limits = { ...USUAL_LIMITS, ...attack.limits }
    const faults = [...own, ...faultsOf(watched, mined, limits), ...(await aftermath(cluster))]
    return { attack, watched, transfers: mined, faults }
  } finally {
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
