import { fromHex } from '../../../core/bytes/hex.ts'
import { decodeExtraData } from '../../../core/chain/codec/extraData.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { untilBlocks } from '../../cluster/support/waiting.ts'
import type { Attack } from '../attack.ts'
import { startLoad } from '../load.ts'

const MINED_MS_MAX = 30_000

/** Blocks of these numbers that were not decided in round 0, as `number: round`. */
const laterRounds = async (cluster: Cluster, from: number, to: number): Promise<readonly string[]> => {
  const found: string[] = []
  for (let number = from; number <= to; number++) {
    const block = await cluster.block(1, number)
    const { round } = decodeExtraData(fromHex(block?.extraData ?? '0x'))
    if (round > 0) found.push(`${number}: ${round}`)
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
    await cluster[how](index)
    await cluster.start(index)
    const after = await untilBlocks(cluster, 4)
    const later = await laterRounds(cluster, before + 1, after)
    say(`${how} ${index}: blocks ${before} to ${after}, in later rounds: ${later.join(', ') || 'none'}`)
    if (later.length > 1 || later.some(text => !text.endsWith(': 1')))
      faults.push(`the restart (${how}) of validator ${index} cost more than a round: ${later.join(', ')}`)
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
