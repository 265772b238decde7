import { toHex } from '../../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import {
  attackerKey,
  BATCH_TRANSACTIONS,
  floodByRpc,
  type Gossiper,
  rubbish,
  signedTransfer,
  startGossiper,
} from '../../cluster/support/poolFlood.ts'
import { freshKey } from '../../cluster/support/slowTransactions.ts'
import { untilHeads } from '../../cluster/support/waiting.ts'
import type { Attack, AttackContext } from '../attack.ts'
import { ACCOUNTS, ETHER, fundedWith, GWEI, PER_GAS, range, sayFlooded } from '../attackerAccounts.ts'

/** Below the tip of honest transfers: who pays more than they do may come first. */
const LOW_TIP = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI / 2n }
/** The most that one transfer of the attacker costs. */
const COST = 21_000n * LOW_TIP.maxFeePerGas

const SENT = 6_000

const oneAccount: Attack = {
  name: 'pool-one-known-account',
  what: `Sends ${SENT} transactions that can be paid for and executed, all of one funded account, to all nodes.`,
  network: fundedWith(1_000n * ETHER),
  run: async context => {
    function* sent(): Generator<Uint8Array> {
      for (const nonce of range(0, SENT))
        yield signedTransfer(attackerKey(0), { ...LOW_TIP, nonce: BigInt(nonce) })
    }
    await sayFlooded(context, await floodByRpc(context.cluster, sent()))
    return []
  },
}

/** From 1 gwei on by a tenth, as often as the balance pays for. */
const BUMPS = 70

const replacements: Attack = {
  name: 'pool-replacements',
  what: `Replaces the waiting transaction of each of ${ACCOUNTS} accounts ${BUMPS} times, by a tenth more each time.`,
  network: fundedWith(ETHER),
  run: async context => {
    function* sent(): Generator<Uint8Array> {
      let maxFeePerGas = GWEI
      for (let bump = 0; bump < BUMPS; bump++) {
        maxFeePerGas = (maxFeePerGas * 111n) / 100n
        for (let account = 0; account < ACCOUNTS; account++)
          // Behind a gap, so that it waits.
          yield signedTransfer(attackerKey(account), {
            maxFeePerGas,
            maxPriorityFeePerGas: maxFeePerGas,
            nonce: 1n,
          })
      }
    }
    await sayFlooded(context, await floodByRpc(context.cluster, sent()))
    return []
  },
}

const ROTATIONS = 6
const FOLLOWING = 15

const nonceOf = async (cluster: Cluster, address: string): Promise<number> =>
  Number(await cluster.node(1).rpc<string>('eth_getTransactionCount', address, 'latest'))

/**
 * Each account sends some that it can pay for, and then a dearer one of the first nonce that gives its balance to the next
 * account: what followed cannot be paid for any more, until the account before it gives its balance to this one.
 */
const rotation = async (cluster: Cluster): Promise<readonly Uint8Array[]> => {
  const sent: Uint8Array[] = []
  for (let account = 0; account < ACCOUNTS; account++) {
    const address = toHex(addressOfPrivateKey(attackerKey(account)))
    const next = addressOfPrivateKey(attackerKey((account + 1) % ACCOUNTS))
    const nonce = await nonceOf(cluster, address)
    const balance = BigInt(await cluster.node(1).rpc<string>('eth_getBalance', address, 'latest'))
    const dearer = {
      maxFeePerGas: 2n * LOW_TIP.maxFeePerGas,
      maxPriorityFeePerGas: PER_GAS.maxPriorityFeePerGas,
    }
    const value = balance - 2n * COST
    for (const index of range(0, FOLLOWING))
      sent.push(signedTransfer(attackerKey(account), { ...LOW_TIP, nonce: BigInt(nonce + index) }))
    if (value > 0n)
      sent.push(signedTransfer(attackerKey(account), { ...dearer, nonce: BigInt(nonce), to: next, value }))
  }
  return sent
}

const rotatingSenders: Attack = {
  name: 'pool-rotating-senders',
  what: `Passes the balance of ${ACCOUNTS} accounts on to the next, ${ROTATIONS} times, so that what each of them sent can be paid for, and not, in turn.`,
  network: fundedWith(ETHER),
  run: async context => {
    for (let round = 0; round < ROTATIONS; round++)
      await sayFlooded(context, await floodByRpc(context.cluster, await rotation(context.cluster)))
    return []
  },
}

const FLOODERS = 8
const ROUNDS = 5
/** Of each flooder in each round; a node keeps 1,024 transactions for which their senders cannot pay yet. */
const RUBBISH_EACH = 1_000
/** In which the node judges the rubbish. */
const JUDGED_MS = 500
/** What is not paid for is forgotten after so many. */
const FORGOTTEN_BLOCKS = 3
const MINED_BLOCKS = 4

/** What a new account spends comes before the payment to it; a fault where it is not mined soon then. */
const spendThenFund = async (
  { cluster, random }: AttackContext,
  honest: Gossiper,
  flooders: readonly Gossiper[],
  round: number,
): Promise<readonly string[]> => {
  const spender = freshKey(9_000 + round)
  const messages = flooders.flatMap(flooder =>
    Array.from({ length: RUBBISH_EACH / BATCH_TRANSACTIONS }, () => ({
      flooder,
      transactions: [...rubbish(random, BATCH_TRANSACTIONS)],
    })),
  )
  const publishedAt = await cluster.head(1)
  await honest.publish([signedTransfer(spender, PER_GAS)])
  await Promise.all(messages.map(({ flooder, transactions }) => flooder.publish(transactions)))
  await Bun.sleep(JUDGED_MS)
  const { privateKey } = DEVELOPMENT_ACCOUNTS[6] as DevelopmentAccount
  const fund = signedTransfer(privateKey, {
    ...PER_GAS,
    nonce: BigInt(round),
    to: addressOfPrivateKey(spender),
    value: ETHER,
  })
  await cluster.node(2).rpc('eth_sendRawTransaction', toHex(fund))
  const head = await cluster.head(2)
  const address = toHex(addressOfPrivateKey(spender))
  // By then it was forgotten for another reason than the flood.
  if (head - publishedAt >= FORGOTTEN_BLOCKS) return []
  await untilHeads(cluster, head + MINED_BLOCKS, [1])
  return (await nonceOf(cluster, address)) > 0
    ? []
    : [`what was spent before its payment came was not mined after ${MINED_BLOCKS} blocks`]
}

const unpaid: Attack = {
  name: 'pool-unpaid-rubbish',
  what: `Fills the room for transactions that are not paid for yet, as ${FLOODERS} peers with ${ROUNDS * RUBBISH_EACH} transactions of random signatures each, while others spend what they are paid a moment later.`,
  run: async context => {
    const { cluster } = context
    const faults: string[] = []
    const honest = await startGossiper(cluster)
    const flooders = await Promise.all(Array.from({ length: FLOODERS }, () => startGossiper(cluster)))
    try {
      for (let round = 0; round < ROUNDS; round++)
        faults.push(...(await spendThenFund(context, honest, flooders, round)))
    } finally {
      await Promise.all([honest, ...flooders].map(one => one.stop()))
    }
    return faults
  },
}

export const POOL_CHURN: readonly Attack[] = [oneAccount, replacements, rotatingSenders, unpaid]
