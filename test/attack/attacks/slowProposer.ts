import { startAttacker } from '../../cluster/support/attacker.ts'
import { FREE_GAS } from '../../cluster/support/slowTransactions.ts'
import { testKey } from '../../runtime/genesis.ts'
import type { Attack } from '../attack.ts'
import { followChain, isProposer, slowProposal } from '../slowProposals.ts'

/** The validator whose key the attacker has; its process does not run. */
const MALICIOUS = 4
const HONEST = [1, 2, 3]

const ATTACK_MS = 25_000
const POLL_MS = 50

const REFUSED = /Block \d+ of 0x[0-9a-f]{40} is not verified: it did not finish within \d+ ms/

/** A validator that proposes blocks whose execution never ends, each time that it is its turn. */
export const slowProposer: Attack = {
  name: 'slow-proposer',
  what: 'Proposes, as one of four validators, blocks whose execution never ends, each time that it is its turn.',
  network: { ...FREE_GAS },
  run: async ({ cluster, folder, say }) => {
    await cluster.kill(MALICIOUS)
    const attackers = await Promise.all(
      HONEST.map(index => startAttacker(cluster, index, testKey(MALICIOUS))),
    )
    const followed = await followChain(cluster, folder, 1)
    let proposed = 0n
    let proposals = 0
    try {
      for (const endMs = Date.now() + ATTACK_MS; Date.now() < endMs; await Bun.sleep(POLL_MS)) {
        await followed.follow()
        const next = followed.chain.head().header.number + 1n
        if (next === proposed || !(await isProposer(followed, MALICIOUS))) continue
        const proposal = await slowProposal(followed, MALICIOUS)
        await Promise.all(attackers.map(attacker => attacker.flood([proposal])))
        proposed = next
        proposals++
      }
    } finally {
      await Promise.all(attackers.map(attacker => attacker.stop()))
    }
    const reasons = HONEST.map(index => cluster.node(index).output().split(REFUSED).length - 1)
    say(`${proposals} slow proposals; the validators gave up ${reasons.join(', ')} of them, and said so`)
    if (proposals === 0) return ['it was never its turn']
    return reasons.every(count => count > 0) ? [] : ['a validator did not say why it changed the round']
  },
}
