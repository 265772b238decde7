import { FLOODERS, type Flooder, flood } from '../../cluster/support/flood.ts'
import { hostileKey } from '../../cluster/support/hostileMessages.ts'
import type { Attack } from '../attack.ts'

const MESSAGES = 50_000

const WHO: Readonly<Record<Flooder, string>> = {
  stranger: 'a stranger with one key',
  strangers: 'strangers that each come with a new key',
  validator: 'the holder of a validator key, with messages of later heights and rounds',
  forger: 'the holder of a validator key, with messages whose signatures are wrong',
}

/** The key of the attacker is of a fifth validator that is not started: the four others are a quorum without it. */
const consensusFlood = (flooder: Flooder): Attack => ({
  name: `consensus-flood-${flooder}`,
  what: `Floods a validator with ${MESSAGES} consensus messages, as ${WHO[flooder]}.`,
  network: { validators: 5, nodes: 4 },
  // Each round whose proposer is the fifth validator is lost.
  limits: { blockGapMs: 12_000 },
  run: async ({ cluster, say }) => {
    const { sent, refused } = await flood(cluster, flooder, hostileKey(5), MESSAGES, () => undefined)
    say(`${sent} messages sent, ${refused} refused`)
    return []
  },
})

export const CONSENSUS_FLOODS: readonly Attack[] = FLOODERS.map(consensusFlood)
