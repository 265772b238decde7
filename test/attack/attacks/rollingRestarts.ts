import { fromHex } from '../../../core/bytes/hex.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { untilBlocks } from '../../cluster/support/waiting.ts'
import type { Attack } from '../attack.ts'
import { startLoad } from '../load.ts'

const MINED_MS_MAX = 30_000

/** From one turn of a proposer that is away to its next: three blocks and the lost round. */
const TURN_MS = 7_000
/** Who went away and has its record signs again in the second height after the one it came back in. */
const SIGNS_AFTER_MS = 2_000

/** Rounds that were lost in these blocks: by number of the block, those before the one that decided it. */
const lostRounds = async (
  cluster: Cluster,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, number>> => {
  const found = new Map<number, number>()
  for (let number = from; number <= to; number++) {
    const block = await cluster.block(1, number)
    const { round } = decodeExtraData(fromHex(block?.extraData ?? '0x'))
    if (round > 0) found.set(number, round)
  }
  return found
}

const restartEach = async (
  cluster: Cluster,
  how: 'stop' | 'kill',
  say: (text: string) => void,
): Promise<readonly string[]> => {
  const faults: string[] = []
  for (const index of [1, 2, 3, 4]) {
    const before = await untilBlocks(cluster, 0)
    const downMs = performance.now()
    await cluster[how](index)
    await cluster.start(index)
    await untilBlocks(cluster, 0)
    const awayMs = performance.now() - downMs
    const after = await untilBlocks(cluster, 4)
    const lost = await lostRounds(cluster, before + 1, after)
    const count = [...lost.values()].reduce((sum, rounds) => sum + rounds, 0)
    // On a busy machine a start takes longer than the others need to come round to this proposer again.
    const allowed = 1 + Math.floor((awayMs + SIGNS_AFTER_MS) / TURN_MS)
    say(
      `${how} ${index}, away for ${(awayMs / 1000).toFixed(1)} s: blocks ${before} to ${after}, ${count} rounds lost${count === 0 ? '' : ` (${JSON.stringify([...lost])})`}`,
    )
    if (count > allowed)
      faults.push(`the restart (${how}) of validator ${index} cost ${count} rounds, ${allowed} were allowed`)
  }
  return faults
}

export const rollingRestarts: Attack = {
  name: 'rolling-restarts',
  what: 'Restarts every validator in turn under load, by SIGTERM and by kill -9.',
  // A round is lost where the next proposer is the one that restarts.
  limits: { blockGapMs: 12_000, answerMs: 5_000, transferBlocks: 6 },
  run: async ({ cluster, say }) => {
    const load = startLoad(cluster, { accounts: [0, 1, 2, 3], intervalMs: 50 })
    const faults = [
      ...(await restartEach(cluster, 'stop', say)),
      ...(await restartEach(cluster, 'kill', say)),
    ]
    await load.stop()
    const endMs = Date.now() + MINED_MS_MAX
    let missing = await load.missing()
    while (missing.length > 0 && Date.now() < endMs) {
      await Bun.sleep(500)
      missing = await load.missing()
    }
    say(`${load.accepted.length} transactions accepted, ${missing.length} not mined`)
    if (missing.length > 0)
      faults.push(
        `${missing.length} of ${load.accepted.length} accepted transactions were not mined: ${missing[0]} and others`,
      )
    return faults
  },
}

const CONTROL_MS = 30_000

export const control: Attack = {
  name: 'control',
  what: 'Attacks nothing, under the load of rolling-restarts: what the machine itself costs at the moment.',
  run: async ({ cluster, say }) => {
    const load = startLoad(cluster, { accounts: [0, 1, 2, 3], intervalMs: 50 })
    const before = await cluster.head(1)
    await Bun.sleep(CONTROL_MS)
    await load.stop()
    const after = await cluster.head(1)
    const lost = await lostRounds(cluster, before + 1, after)
    say(`blocks ${before} to ${after}, rounds lost: ${JSON.stringify([...lost])}`)
    return []
  },
}
