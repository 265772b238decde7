import { toHex } from '../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import type { Cluster } from '../../cluster/support/cluster.ts'
import {
  actDuring,
  floodByGossip,
  floodByRpc,
  poolSizes,
  rubbish,
  signedTransfer,
} from '../../cluster/support/poolFlood.ts'
import { until } from '../../cluster/support/waiting.ts'
import type { Attack } from '../attack.ts'
import {
  ACCOUNTS,
  ETHER,
  fundedWith,
  GWEI,
  ofAccounts,
  PER_GAS,
  range,
  sayFlooded,
} from '../attackerAccounts.ts'

/** As many as filled the pools of a network once: 66 requests of 500. */
const RUBBISH = 33_000
const NONCES = 100
/** The most that one transfer of an attacker costs. */
const COST = 21_000n * PER_GAS.maxFeePerGas

const FREE = { config: { zeroBaseFee: true }, args: ['--logging-format=PLAIN', '--min-gas-price=0'] }
const FREE_PRICE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
/** A transfer at price 0 of a funded account, as on such a network all are; gives a fault where it waits for over two blocks. */
const freeTransfer = async (cluster: Cluster, nonce: number): Promise<readonly string[]> => {
  const { privateKey } = DEVELOPMENT_ACCOUNTS[7] as DevelopmentAccount
  const raw = toHex(signedTransfer(privateKey, { ...FREE_PRICE, nonce: BigInt(nonce) }))
  // The node that is asked may be a block behind the others.
  const heads = Promise.all(cluster.running().map(cluster.head))
  const hash = await cluster.node(1).rpc<string>('eth_sendRawTransaction', raw)
  const head = Math.max(await cluster.head(1), ...(await heads))
  const { blockNumber } = await until('the receipt of a free transfer', async () => {
    const receipt = await cluster
      .node(1)
      .rpc<{ readonly blockNumber: string } | null>('eth_getTransactionReceipt', hash)
    return receipt ?? undefined
  })
  const blocks = Number(blockNumber) - head
  return blocks > 2 ? [`a transfer at price 0 was mined after ${blocks} blocks`] : []
}

const freeFlood = (way: 'rpc' | 'gossip'): Attack => ({
  name: `pool-rubbish-free-${way}`,
  what: `Sends ${RUBBISH} transactions of random signatures by ${way} where gas is free, so that their senders can pay.`,
  network: FREE,
  run: async context => {
    const { cluster, random } = context
    const flooding = (async () => {
      const transactions = rubbish(random, RUBBISH, FREE_PRICE)
      if (way === 'rpc') return floodByRpc(cluster, transactions)
      await floodByGossip(cluster, transactions)
      return undefined
    })()
    const faults: string[] = []
    const flooded = await actDuring(flooding, 3, async nonce => {
      faults.push(...(await freeTransfer(cluster, nonce)))
    })
    if (flooded !== undefined) await sayFlooded(context, flooded)
    const sizes = await poolSizes(cluster)
    // A tenth of the pool, and the transfers of the harness.
    return sizes.some(size => size > 3_400) ? [...faults, `pools hold ${sizes.join(', ')}`] : faults
  },
})

const paidFlood = (way: 'rpc' | 'gossip'): Attack => ({
  name: `pool-rubbish-${way}`,
  what: `Sends ${RUBBISH} transactions of random signatures by ${way}: their senders cannot pay.`,
  run: async context => {
    const { cluster, random } = context
    const transactions = rubbish(random, RUBBISH)
    if (way === 'rpc') await sayFlooded(context, await floodByRpc(cluster, transactions))
    else await floodByGossip(cluster, transactions)
    const sizes = await poolSizes(cluster)
    return sizes.some(size => size > 100) ? [`pools hold ${sizes.join(', ')}`] : []
  },
})

const signedFlood = (
  name: string,
  what: string,
  wei: bigint,
  parts: readonly (readonly [nonces: readonly number[], fields: Parameters<typeof signedTransfer>[1]])[],
): Attack => ({
  name: `pool-${name}`,
  what,
  network: fundedWith(wei),
  run: async context => {
    for (const [nonces, fields] of parts)
      await sayFlooded(context, await floodByRpc(context.cluster, ofAccounts(nonces, fields)))
    return []
  },
})

export const POOL_FLOODS: readonly Attack[] = [
  paidFlood('rpc'),
  paidFlood('gossip'),
  freeFlood('rpc'),
  freeFlood('gossip'),
  signedFlood(
    'gaps',
    `Fills the pools with transactions of ${ACCOUNTS} funded accounts behind a gap of one nonce.`,
    ETHER,
    [[range(1, NONCES + 1), {}]],
  ),
  signedFlood(
    'unpayable',
    `Sends ${NONCES} transactions of each of ${ACCOUNTS} accounts whose balance pays for one.`,
    COST,
    [[range(0, NONCES), {}]],
  ),
  signedFlood(
    'drained',
    `Fills the pools with transactions of ${ACCOUNTS} accounts and spends their balances with a dearer one of the first nonce.`,
    ETHER,
    [
      [range(1, NONCES), {}],
      [
        [0],
        { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 2n * GWEI, value: ETHER - 21_000n * 20n * GWEI },
      ],
    ],
  ),
  signedFlood(
    'low-price',
    `Fills the pools with transactions of ${ACCOUNTS} funded accounts that offer less than the base fee.`,
    ETHER,
    [[range(0, NONCES), { maxFeePerGas: 1_100n, maxPriorityFeePerGas: 1_100n }]],
  ),
]
