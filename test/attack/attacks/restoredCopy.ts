import { join } from 'node:path'
import { doubleSignatures, FORGETTING_WAYS, forgetOnce } from '../../cluster/support/forget.ts'
import { type Attack, SHORT_ROUNDS } from '../attack.ts'

const TRIES = 12
const FORGETFUL = 3
const AWAY = 4

export const restoredCopy: Attack = {
  name: 'restored-copy',
  what: `Brings a validator back without its memory (an old copy of its folder, an empty one, no record, no views) while the height it signed in is open, ${TRIES} times.`,
  network: SHORT_ROUNDS,
  // Two of four are no quorum: blocks stop until the one that forgot is back, level with the others and in a round above
  // theirs, which takes a start, a few seconds of catching up and some timeouts. Transfers that only the killed ones had are lost.
  limits: { blockGapMs: 30_000, answerMs: 5_000, transferBlocks: 10 },
  run: async ({ cluster, folder, random, say }) => {
    const tried = { index: FORGETFUL, away: AWAY, copy: join(folder, 'copy') }
    for (let number = 0; number < TRIES; number++) {
      const way = FORGETTING_WAYS[(FORGETTING_WAYS.length - 1 + number) % FORGETTING_WAYS.length]
      if (way === undefined) continue
      await forgetOnce(cluster, tried, way, random)
      say(`${way}: blocks go on`)
    }
    await cluster.start(AWAY)
    return doubleSignatures(cluster)
  },
}
