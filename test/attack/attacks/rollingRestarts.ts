import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { proposerOf } from '../../../core/validators/proposer.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { until, untilBlocks } from '../../cluster/support/waiting.ts'
import type { Attack } from '../attack.ts'
import { startLoad } from '../load.ts'

const MINED_MS_MAX = 30_000

/** A round that ended without a block, and whose turn it was to propose. */
type LostRound = { readonly number: number; readonly round: number; readonly proposer: string }

/** The rounds that were lost in these blocks. */
const lostRounds = async (cluster: Cluster, from: number, to: number): Promise<readonly LostRound[]> => {
  const validators = [1, 2, 3, 4].map(index => cluster.address(index)).toSorted()
  const found: LostRound[] = []
  let previous = (await cluster.block(1, from - 1))?.miner ?? ''
  for (let number = from; number <= to; number++) {
    const block = await cluster.block(1, number)
    const { round: decided } = decodeExtraData(fromHex(block?.extraData ?? '0x'))
    for (let round = 0; round < decided; round++) {
      const proposer = proposerOf(validators.map(fromHex), fromHex(previous), round)
      found.push({ number, round, proposer: proposer === undefined ? '' : toHex(proposer) })
    }
    previous = block?.miner ?? ''
  }
  return found
}

/** A validator that started after the others may miss its first turn: each has proposed one of the last four blocks. */
const untilEachProposes = (cluster: Cluster): Promise<boolean> =>
  until('a block of each validator', async () => {
    const head = await cluster.head(1)
    if (head < 4) return false
    const blocks = await Promise.all([0, 1, 2, 3].map(back => cluster.block(1, head - back)))
    return new Set(blocks.map(block => block?.miner)).size === 4
  })

/**
 * The first height and round that this node takes part in after its start, by its log: it names the round where it may not sign in
 * every one. Otherwise the first block that it decided with the others; those before it came from a peer.
 */
const signsFrom = (output: string, head: number): { readonly number: number; readonly round: number } => {
  const said = [...output.matchAll(/signs messages from round (\d+) of block (\d+) on/g)].at(-1)
  if (said !== undefined) return { number: Number(said[2]), round: Number(said[1]) }
  const first = /\| validator +\| (?:Produced|Imported) #([\d,]+)/.exec(output)?.[1]
  return { number: first === undefined ? head + 1 : Number(first.replaceAll(',', '')), round: 0 }
}

const textOf = (lost: readonly LostRound[]): string =>
  lost.map(({ number, round }) => `round ${round} of block ${number}`).join(', ')

/**
 * Restarts one validator after the other. A round may be lost where the one that restarts was to propose: while it is away, and
 * until it signs again. Its record does not tell whether it is the newest one, so it signs nothing in the first height that it
 * takes part in below a round that the others have not reached. Every other lost round is a fault.
 */
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
    const back = await untilBlocks(cluster, 0)
    const awayMs = performance.now() - downMs
    const after = await untilBlocks(cluster, 4)
    const lost = await lostRounds(cluster, before + 1, after)
    const signs = signsFrom(cluster.node(index).output(), back)
    const wasAway = ({ number, round, proposer }: LostRound): boolean =>
      proposer === cluster.address(index) &&
      (number < signs.number || (number === signs.number && round < signs.round))
    const unexplained = lost.filter(round => !wasAway(round))
    say(
      `${how} ${index}, away for ${(awayMs / 1000).toFixed(1)} s of blocks ${before} to ${after}, signs from round ${signs.round} of block ${signs.number} on; lost: ${textOf(lost) || 'nothing'}`,
    )
    if (unexplained.length > 0)
      faults.push(`during the restart (${how}) of validator ${index} others lost ${textOf(unexplained)}`)
  }
  return faults
}

export const rollingRestarts: Attack = {
  name: 'rolling-restarts',
  what: 'Restarts every validator in turn under load, by SIGTERM and by kill -9.',
  // A round is lost where the next proposer is the one that restarts.
  limits: { blockGapMs: 12_000, answerMs: 5_000, transferBlocks: 6 },
  run: async ({ cluster, say }) => {
    await untilEachProposes(cluster)
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
    await untilEachProposes(cluster)
    const load = startLoad(cluster, { accounts: [0, 1, 2, 3], intervalMs: 50 })
    const before = await cluster.head(1)
    await Bun.sleep(CONTROL_MS)
    await load.stop()
    const after = await cluster.head(1)
    const lost = await lostRounds(cluster, before + 1, after)
    say(`blocks ${before} to ${after}, lost: ${textOf(lost) || 'nothing'}`)
    return []
  },
}
