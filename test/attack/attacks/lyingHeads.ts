import { randomBytes } from 'node:crypto'
import { enodeOf } from '../../cluster/support/ownNode.ts'
import { genesisHashOf } from '../../cluster/support/attacker.ts'
import { dialRaw, type RawPeer } from '../../p2p/rawPeer.ts'
import type { Attack } from '../attack.ts'

const LIARS = 12
const SECONDS = 20
const NETWORK_ID = 4242n

/** Peers that claim heads far ahead, give no block of them, and change their claim every second. */
export const lyingHeads: Attack = {
  name: 'lying-heads',
  what: `Connects ${LIARS} peers that claim heads far ahead and give no blocks.`,
  run: async ({ cluster, random, say }) => {
    const genesisHash = await genesisHashOf(cluster, 1)
    const liars: RawPeer[] = []
    try {
      for (let number = 0; number < LIARS; number++) {
        const index = 1 + (number % 4)
        const liar = await dialRaw(enodeOf(cluster.node(index)), randomBytes(32), genesisHash)
        liars.push(liar)
        await liar.shakeHands({
          networkId: NETWORK_ID,
          genesisHash,
          headHash: randomBytes(32),
          headNumber: BigInt(1_000 + random.below(1_000_000)),
        })
      }
      for (let second = 0; second < SECONDS; second++) {
        await Bun.sleep(1_000)
        const headNumber = BigInt(1_000 + random.below(1_000_000_000))
        for (const liar of liars)
          if (liar.isConnected)
            await liar
              .tell({ kind: 'update', headNumber, headHash: randomBytes(32), neighbours: [] })
              .catch(() => undefined)
      }
      say(`${liars.filter(({ isConnected }) => isConnected).length} of ${LIARS} are still connected`)
    } finally {
      await Promise.all(liars.map(liar => liar.stop()))
    }
    return []
  },
}
