import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Cluster } from '../../cluster/support/cluster.ts'
import { untilBlocks, untilHeads } from '../../cluster/support/waiting.ts'
import type { Attack, AttackContext } from '../attack.ts'

const HOUR_MS = 3_600_000
/** Each validator has its turn, and more, while a clock is wrong. */
const BLOCKS = 5
const ALL = [1, 2, 3, 4]

const setClocks = (cluster: Cluster, indexes: readonly number[], aheadMs: number): void => {
  for (const index of indexes) writeFileSync(join(cluster.dataPath(index), 'clock'), String(aheadMs))
}

/** The clocks of at most one of four validators are wrong, or all of them jump forward, as when they are set. */
const wrongClocks: Attack = {
  name: 'clock-jumps',
  what: 'Sets the clock of one of four validators an hour ahead, an hour back, to and fro, and all clocks ten minutes ahead.',
  network: { program: fileURLToPath(new URL('../shiftedClock.ts', import.meta.url)) },
  // The rounds of the validator with the wrong clock are lost.
  limits: { blockGapMs: 12_000 },
  run: async ({ cluster, say }) => {
    /** A node whose clock is behind takes no blocks of its future: the others have to go on. */
    const during = async (
      indexes: readonly number[],
      aheadMs: number,
      followers: readonly number[] = ALL,
    ): Promise<void> => {
      setClocks(cluster, indexes, aheadMs)
      const heads = await Promise.all(followers.map(cluster.head))
      const number = Math.max(...heads) + BLOCKS
      await untilHeads(cluster, number, followers)
      say(`clocks of ${indexes.join(', ')} ${aheadMs / 1000} s ahead: block ${number}`)
    }
    for (const index of [2, 3]) {
      const others = ALL.filter(other => other !== index)
      for (const aheadMs of [HOUR_MS, -HOUR_MS, 60_000, -60_000, 5_000, -5_000])
        await during([index], aheadMs, others)
      await during([index], 0)
    }
    await during(ALL, HOUR_MS / 6)
    await during([4], 0, [1, 2, 3])
    await during([4], HOUR_MS / 6)
    return []
  },
}

const PAUSE_MS = 10_000

const signal = (
  { cluster }: AttackContext,
  indexes: readonly number[],
  name: 'SIGSTOP' | 'SIGCONT',
): void => {
  for (const index of indexes) process.kill(cluster.node(index).pid, name)
}

/** What a machine does that is suspended and resumed: the processes stand still, and the clock does not. */
const pauses: Attack = {
  name: 'paused-validators',
  what: `Suspends one, two and all of four validators for ${PAUSE_MS / 1000} s each.`,
  // Two of four are no quorum, and a node that stands still does not answer; what it alone has waits with it.
  limits: { blockGapMs: 30_000, answerMs: Infinity, transferBlocks: 12 },
  run: async context => {
    for (const indexes of [[3], [1, 2], ALL]) {
      signal(context, indexes, 'SIGSTOP')
      await Bun.sleep(PAUSE_MS)
      signal(context, indexes, 'SIGCONT')
      await untilBlocks(context.cluster, 3)
      context.say(`suspended ${indexes.join(', ')}: blocks go on`)
    }
    return []
  },
}

export const CLOCK_ATTACKS: readonly Attack[] = [wrongClocks, pauses]
