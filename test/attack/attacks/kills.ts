import { untilBlocks } from '../../cluster/support/waiting.ts'
import { type Attack, SHORT_ROUNDS } from '../attack.ts'

const ROUNDS = 5

export const kills: Attack = {
  name: 'kills',
  what: 'Kills two of four validators (kill -9) and starts them again, five times.',
  network: SHORT_ROUNDS,
  // Two of four are no quorum: blocks stop until one is back, and the next round may be some timeouts away.
  // The first block may be one that was prepared before the kill, the second one of a validator that has just started and
  // does not have the transfer yet.
  limits: { blockGapMs: 20_000, answerMs: 5_000, transferBlocks: 3 },
  run: async ({ cluster, random, say }) => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = 1 + random.below(4)
      const second = 1 + (first % 4)
      await cluster.kill(first, second)
      await Bun.sleep(random.below(3_000))
      await cluster.start(first, second)
      await untilBlocks(cluster, 2)
      say(`killed ${first} and ${second}: blocks go on`)
    }
    return []
  },
}
