import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { sharedStoreOf } from '../../../runtime/drivers/shared.ts'
import { type Cluster, createCluster } from '../../cluster/support/cluster.ts'
import { untilBlocks } from '../../cluster/support/waiting.ts'
import { startReader } from '../../support/readers/readerProcess.ts'
import { ask, differentAnswers, type Request } from '../../support/readers/readerRequests.ts'
import { readReplica } from '../../support/stores/replica.ts'
import { until } from '../../support/until.ts'
import type { NodeProcess } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'
import { type Shared, startShared } from './sharedStores.ts'

const CHAIN_ID = 4242
const VALIDATORS = 4
const TARGET = `0x${'dd'.repeat(20)}` as const
const SEND_MS = 50

/** The node that fills each store: a validator, and a node without a vote. */
const FILLERS: readonly number[] = [1, VALIDATORS + 1]

/** A validator that fills no store. */
const OTHER = 3

/** A store may wait for half a minute before its next attempt. */
const CATCH_UP_MS_MAX = 75_000

/** What `/readiness` says of a replica. */
export type Lag = { readonly blocks: number; readonly seconds: number; readonly reason?: string | null }

/**
 * Four validators, and a node that follows them. The first validator fills Redis, the node that follows PostgreSQL, while the third
 * validator takes transfers.
 */
export type ReplicatedNetwork = {
  readonly cluster: Cluster
  readonly stores: readonly Shared[]
  /** The node that fills the store with this index. */
  readonly fillerOf: (index: number) => NodeProcess
  readonly lagOf: (index: number) => Promise<Lag>
  readonly untilCaughtUp: () => Promise<void>
  /** Ends the transfers. Gives how many were sent. */
  readonly stopSending: () => Promise<number>
  /** What the stores, and readers that prove everything, say otherwise than the nodes that fill them. */
  readonly differences: () => Promise<readonly string[]>
  readonly end: () => Promise<void>
}

type Sending = { isOn: boolean; sent: number; readonly done: Promise<void> }

const startSending = (url: string): Sending => {
  const { wallet, account, reader } = clientsOf(url, CHAIN_ID)
  const send = async (): Promise<void> => {
    let nonce = await reader.getTransactionCount({ address: account.address })
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    for (; sending.isOn; sending.sent++) {
      await wallet.sendTransaction({ to: TARGET, value: 1n, nonce: nonce++, ...fees })
      await Bun.sleep(SEND_MS)
    }
  }
  const begun = Promise.withResolvers<void>()
  const sending: Sending = { isOn: true, sent: 0, done: begun.promise }
  send().then(begun.resolve, begun.reject)
  begun.promise.catch(() => undefined)
  return sending
}

/** Blocks of a store that are not those of the network. */
const blockDifferences = async (
  cluster: Cluster,
  { name, server }: Shared,
  head: number,
): Promise<readonly string[]> => {
  const kv = await sharedStoreOf(`${name}?url=${encodeURIComponent(server.url)}`).open()
  try {
    const store = await readReplica(kv)
    const differences: string[] = []
    for (let number = 0; number <= head; number++) {
      const record = await store?.record(BigInt(number))
      const [found, expected] = [record && toHex(record.hash), (await cluster.block(OTHER, number))?.hash]
      if (found !== expected) differences.push(`${name}, block ${number}: ${found} instead of ${expected}`)
    }
    return differences
  } finally {
    await kv.close()
  }
}

const requestsAt = (head: number): readonly Request[] => {
  const [at, past] = [`0x${head.toString(16)}`, `0x${(head >> 1).toString(16)}`]
  return [
    ['eth_getBalance', TARGET, at],
    ['eth_getBalance', TARGET, past],
    ['eth_getProof', TARGET, [], at],
    ['eth_getBlockReceipts', at],
    ['eth_getBlockByNumber', at, true],
  ]
}

const numberOf = async (url: string): Promise<number> =>
  Number((JSON.parse(await ask(url, ['eth_blockNumber'])) as { readonly result: string }).result)

/** Answers of a reader that are not those of the node which fills its store: seals may differ between nodes. */
const answerDifferences = async (
  url: string,
  genesis: string,
  { storage }: Shared,
  head: number,
): Promise<readonly string[]> => {
  const reader = await startReader([
    `--from=${storage}`,
    `--genesis-file=${genesis}`,
    '--min-gas-price=0',
    '--verify=state',
  ])
  try {
    await until(async () => (await numberOf(reader.url)) >= head, { what: 'the reader at the head' })
    return await differentAnswers(url, reader.url, requestsAt(head))
  } finally {
    await reader.stop()
  }
}

export type ReplicatedNetworkOptions = {
  /** In a folder that the caller removes. */
  readonly folder: string
  readonly blockPeriodMs: number
}

export const startReplicatedNetwork = async ({
  folder,
  blockPeriodMs,
}: ReplicatedNetworkOptions): Promise<ReplicatedNetwork> => {
  const stores = [await startShared('redis'), await startShared('postgresql')]
  const cluster = await createCluster({
    folder,
    validators: VALIDATORS,
    nodes: VALIDATORS + 1,
    qbft: { xblockperiodmilliseconds: blockPeriodMs, requesttimeoutseconds: 2 },
    args: ['--logging-format=PLAIN', '--min-gas-price=0', '--rpc-ws-enabled', '--rpc-ws-port=0'],
    argsOf: index => {
      const store = stores[FILLERS.indexOf(index)]
      return store === undefined ? [] : [`--replicate-to=${store.storage}`]
    },
  })
  await cluster.start(...Array.from({ length: VALIDATORS + 1 }, (_, index) => index + 1))
  await untilBlocks(cluster, 2)
  const sending = startSending(cluster.node(OTHER).url)

  const fillerOf = (index: number): NodeProcess => cluster.node(FILLERS[index] as number)
  const lagOf = async (index: number): Promise<Lag> => {
    const response = await fetch(`${fillerOf(index).url}/readiness`)
    const { replicas } = (await response.json()) as { readonly replicas: readonly Lag[] }
    return replicas[0] as Lag
  }
  const untilCaughtUp = async (): Promise<void> => {
    for (const [index, { name }] of stores.entries())
      await until(
        async () => {
          const { blocks, reason } = await lagOf(index)
          return blocks <= 1 && (reason === undefined || reason === null)
        },
        { what: `${name} with all blocks`, timeoutMs: CATCH_UP_MS_MAX, pollMs: 50 },
      )
  }
  return {
    cluster,
    stores,
    fillerOf,
    lagOf,
    untilCaughtUp,
    stopSending: async () => {
      sending.isOn = false
      await sending.done
      return sending.sent
    },
    differences: async () => {
      const head = await untilBlocks(cluster, 2)
      await untilCaughtUp()
      const differences: string[] = []
      for (const [index, store] of stores.entries()) {
        const { url } = fillerOf(index)
        differences.push(
          ...(await blockDifferences(cluster, store, head)),
          ...(await answerDifferences(url, join(folder, 'genesis.json'), store, head)),
        )
      }
      return differences
    },
    end: async () => {
      sending.isOn = false
      await sending.done.catch(() => undefined)
      await cluster.end()
      for (const store of stores) await store.remove()
    },
  }
}
