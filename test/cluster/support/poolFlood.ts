import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { SECP256K1_ORDER, signTransaction } from '../../../core/block/codec/signature.ts'
import { transactionOf } from '../../../core/block/codec/transaction.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { encodeBatch } from '../../../p2p/gossip/transactionBatch.ts'
import type { seededRandom } from '../../support/random.ts'
import { startAttacker } from './attacker.ts'
import type { Cluster } from './cluster.ts'
import { until } from './waiting.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

export const CHAIN_ID = 4242n
const GWEI = 10n ** 9n
/** An account of the genesis file that gets what is sent. */
const RECIPIENT = new Uint8Array(20).fill(0x77)

/** Transactions of a JSON-RPC batch, and of a gossiped message. */
export const BATCH_TRANSACTIONS = 500

type Random = ReturnType<typeof seededRandom>

/** A transfer of nothing at 10 gwei, unless the fields say otherwise. */
const transferOf = (fields: Partial<Transaction>): Parameters<typeof signTransaction>[0] => ({
  type: 2,
  chainId: CHAIN_ID,
  nonce: 0n,
  maxPriorityFeePerGas: GWEI,
  maxFeePerGas: 10n * GWEI,
  gasLimit: 21_000n,
  to: RECIPIENT,
  value: 0n,
  data: EMPTY_BYTES,
  ...BARE_FIELDS,
  ...fields,
})

export const signedTransfer = (privateKey: Uint8Array, fields: Partial<Transaction>): Uint8Array =>
  signTransaction(transferOf(fields), privateKey).encoded

/** What nobody signed: r and s are random, and every second of them recovers to some account. */
export function* rubbish(
  random: Random,
  count: number,
  fields: Partial<Transaction> = {},
): Generator<Uint8Array> {
  const below = (limit: bigint): bigint => 1n + (bytesToBigint(random.bytes(32)) % (limit - 1n))
  for (let index = 0; index < count; index++)
    yield transactionOf({
      ...transferOf(fields),
      yParity: random.below(2),
      r: below(SECP256K1_ORDER),
      s: below(SECP256K1_ORDER / 2n),
    }).encoded
}

/** A key of the attacker; its accounts are funded where the genesis file says so. */
export const attackerKey = (index: number): Uint8Array => {
  const key = new Uint8Array(32).fill(0x5a)
  new DataView(key.buffer).setUint32(28, index)
  return key
}

/** Entries of the genesis file's `alloc` for the first accounts of the attacker. */
export const attackerAlloc = (accounts: number, wei: bigint): Record<string, { readonly balance: string }> =>
  Object.fromEntries(
    Array.from({ length: accounts }, (_, index) => [
      toHex(addressOfPrivateKey(attackerKey(index))),
      { balance: `0x${wei.toString(16)}` },
    ]),
  )

function* batchesOf(transactions: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = []
  for (const transaction of transactions) {
    batch.push(transaction)
    if (batch.length < BATCH_TRANSACTIONS) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** How many were taken, and the codes of the refusals. */
export type Flooded = { taken: number; readonly refused: Map<number, number> }

type Answer = { readonly error?: { readonly code: number } }

/** Sends them in JSON-RPC batches, to one node after the other. */
export const floodByRpc = async (cluster: Cluster, transactions: Iterable<Uint8Array>): Promise<Flooded> => {
  const flooded: Flooded = { taken: 0, refused: new Map() }
  let turn = 0
  for (const batch of batchesOf(transactions)) {
    const running = cluster.running()
    const { url } = cluster.node(running[turn++ % running.length] as number)
    const body = JSON.stringify(
      batch.map((encoded, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_sendRawTransaction',
        params: [toHex(encoded)],
      })),
    )
    const headers = { 'content-type': 'application/json' }
    const answers = (await (await fetch(url, { method: 'POST', headers, body })).json()) as readonly Answer[]
    for (const { error } of answers)
      if (error === undefined) flooded.taken++
      else flooded.refused.set(error.code, (flooded.refused.get(error.code) ?? 0) + 1)
  }
  return flooded
}

/** A peer of the first node that publishes transactions. */
export type Gossiper = { publish(transactions: readonly Uint8Array[]): Promise<void>; stop(): Promise<void> }

export const startGossiper = async (cluster: Cluster): Promise<Gossiper> => {
  const attacker = await startAttacker(cluster, 1)
  const { pubsub } = attacker.host.services
  const topic = attacker.protocols.transactions
  pubsub.subscribe(topic)
  await until('a node that listens to gossip', async () => pubsub.getSubscribers(topic).length > 0)
  return {
    publish: async transactions => {
      await pubsub.publish(topic, encodeBatch(transactions))
    },
    stop: () => attacker.stop(),
  }
}

/** Publishes them by gossip, as a peer of the first node; gives how many messages that took. */
export const floodByGossip = async (
  cluster: Cluster,
  transactions: Iterable<Uint8Array>,
): Promise<number> => {
  const gossiper = await startGossiper(cluster)
  try {
    let messages = 0
    for (const batch of batchesOf(transactions)) {
      await gossiper.publish(batch)
      messages++
      // As fast as the node takes them: beyond its rates it would ignore the rest.
      await Bun.sleep(100)
    }
    // On its way to the others.
    await Bun.sleep(2_000)
    return messages
  } finally {
    await gossiper.stop()
  }
}

/** Transactions in the pool of each node that runs. */
export const poolSizes = (cluster: Cluster): Promise<readonly number[]> =>
  Promise.all(
    cluster.running().map(async index => {
      const { pending, queued } = await cluster
        .node(index)
        .rpc<{ readonly pending: string; readonly queued: string }>('txpool_status')
      return Number(pending) + Number(queued)
    }),
  )

/** Acts again and again while the work goes on, and `roundsMin` times at least; gives what the work gave. */
export const actDuring = async <Result>(
  work: Promise<Result>,
  roundsMin: number,
  act: (round: number) => Promise<void>,
): Promise<Result> => {
  const state = { isRunning: true }
  const ended = work.finally(() => {
    state.isRunning = false
  })
  for (let round = 0; state.isRunning || round < roundsMin; round++) await act(round)
  return ended
}
