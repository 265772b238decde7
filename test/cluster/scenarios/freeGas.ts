import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import { isInstalled, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { seededRandom } from '../../support/random.ts'
import { rejection } from '../../support/rejection.ts'
import { type Scenario, scenario } from '../../support/scenario.ts'
import { createCluster, type Cluster } from '../support/cluster.ts'
import {
  actDuring,
  attackerKey,
  floodByGossip,
  floodByRpc,
  poolSizes,
  rubbish,
  signedTransfer,
} from '../support/poolFlood.ts'
import { FREE_GAS, freshKey, SLOW_CODE, slowCreation } from '../support/slowTransactions.ts'
import { hashesOf, until, untilBlocks } from '../support/waiting.ts'

const VALIDATORS = [1, 2, 3, 4]
/** No validator: what its RPC takes reaches the validators from a peer. */
const PEER = 5

/** A validator on each runtime: Bun twice. */
const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno', 'bun', 'bun']

const POOL_SIZE = 500
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
/** Ten times what the share of unknown senders has room for; every second recovers to an account. */
const RUBBISH = 1_000
const ETHER = 10n ** 18n
/** Of slow transactions: later accounts than those that the tests of pools fund. */
const SENDER = 100

/** What the tests of one network share: it is expensive to start on all runtimes. */
type Network = {
  readonly cluster: Cluster
  /** Sends a transfer of the first known account, at price 0, to the node; gives its hash. */
  readonly transfer: (index: number, fields?: Parameters<typeof signedTransfer>[1]) => Promise<string>
  readonly send: (index: number, encoded: Uint8Array) => Promise<string>
  readonly minedIn: (hash: string) => Promise<number>
}

const networkOf = (cluster: Cluster): Network => {
  const { privateKey } = DEVELOPMENT_ACCOUNTS[0] as DevelopmentAccount
  let nonce = 0
  const send = (index: number, encoded: Uint8Array): Promise<string> =>
    cluster.node(index).rpc<string>('eth_sendRawTransaction', toHex(encoded))
  return {
    cluster,
    send,
    transfer: (index, fields = {}) =>
      send(index, signedTransfer(privateKey, { ...FREE, nonce: BigInt(nonce++), ...fields })),
    minedIn: hash =>
      until(`the receipt of ${hash}`, async () => {
        const receipt = await cluster
          .node(2)
          .rpc<{ readonly blockNumber: string } | null>('eth_getTransactionReceipt', hash)
        return receipt === null ? undefined : Number(receipt.blockNumber)
      }),
  }
}

const testPools = ({ test }: Scenario, network: () => Network): void => {
  const random = seededRandom(6)

  /** Transfers of a known account at price 0, to each of the nodes, while `flooding` goes on. */
  const transfersDuring = async (flooding: Promise<unknown>): Promise<readonly number[]> => {
    const { cluster, transfer, minedIn } = network()
    const waited: number[] = []
    await actDuring(flooding, 2, async round => {
      const index = 1 + (round % 4)
      const hash = await transfer(index)
      // The node may be a block behind the others.
      const heads = await Promise.all(VALIDATORS.map(cluster.head))
      waited.push((await minedIn(hash)) - Math.max(...heads))
    })
    return waited
  }

  test('when transactions that nobody signed come over JSON-RPC, then transfers of known accounts are in the next two blocks, and the pools keep room', async () => {
    const waited = await transfersDuring(floodByRpc(network().cluster, rubbish(random, RUBBISH, FREE)))
    expect(Math.max(...waited)).toBeLessThanOrEqual(2)
    // A tenth, and the transfer of the test.
    expect(Math.max(...(await poolSizes(network().cluster)))).toBeLessThanOrEqual(POOL_SIZE / 10 + 1)
  })

  test('when they come by gossip, then it is the same', async () => {
    const waited = await transfersDuring(floodByGossip(network().cluster, rubbish(random, RUBBISH, FREE)))
    expect(Math.max(...waited)).toBeLessThanOrEqual(2)
    expect(Math.max(...(await poolSizes(network().cluster)))).toBeLessThanOrEqual(POOL_SIZE / 10 + 1)
  })

  test('when transactions that cannot be paid for come, then all pools refuse them, from JSON-RPC and from peers', async () => {
    const { cluster, send } = network()
    const unpayable = signedTransfer(attackerKey(1), { ...FREE, value: ETHER })
    for (const index of cluster.running())
      expect(await send(index, unpayable).catch(String)).toMatch(
        /-32004 Upfront cost exceeds account balance \(insufficient funds/,
      )
    const hash = await cluster.node(1).rpc<string>('web3_sha3', toHex(unpayable))
    await floodByGossip(cluster, [unpayable])
    for (const index of cluster.running())
      expect(await cluster.node(index).rpc('eth_getTransactionByHash', hash)).toBeNull()
  })

  test('when one account is funded and spends at once, both pending and sent to different nodes, then both are mined', async () => {
    const { send, transfer, minedIn } = network()
    const poor = attackerKey(2)
    const { address } = DEVELOPMENT_ACCOUNTS[1] as DevelopmentAccount
    const spend = signedTransfer(poor, { ...FREE, to: address, value: ETHER })
    const funded = await transfer(1, { to: addressOfPrivateKey(poor), value: ETHER })
    const spent = await until('the payment on another node', () => send(2, spend).catch(() => undefined))
    await minedIn(funded)
    expect(await minedIn(spent)).toBeGreaterThan(0)
  })
}

const testSlowTransactions = ({ test }: Scenario, network: () => Network): void => {
  const send = (entry: number, sender: number, what: string): Promise<string> =>
    network()
      .cluster.node(entry)
      .rpc('eth_sendRawTransaction', slowCreation(freshKey(sender), SLOW_CODE[what] as Uint8Array).raw)

  const explanations = (hash: string): Promise<readonly (string | null)[]> =>
    Promise.all(
      VALIDATORS.map(index => network().cluster.node(index).rpc<string | null>('txpool_explain', hash)),
    )

  const isDroppedByAll = async (hash: string): Promise<boolean> =>
    (await explanations(hash)).every(text => text?.startsWith('dropped') === true)

  test('when an account without a balance sends a loop without an end, then each validator stops it twice and drops it', async () => {
    const { cluster } = network()
    const hash = await send(1, SENDER, 'a loop')
    await until('the loop to be dropped by all', () => isDroppedByAll(hash))
    await untilBlocks(cluster, 2)
    for (const index of VALIDATORS) {
      const output = cluster.node(index).output()
      expect(output).toContain(`Left transaction ${hash}`)
      expect(output).toContain('It is tried once more, after all others')
      expect(output).toContain('It is dropped, and its sender has to wait 60 seconds')
    }
    expect(await rejection(send(1, SENDER, 'logs'))).toMatchObject({
      message: expect.stringContaining('Sender has to wait'),
    })
  })

  test('when slow transactions of several kinds come from a peer, then blocks go on, and all nodes have the same', async () => {
    const { cluster } = network()
    const kinds = [
      'a loop inside calls',
      'one large MODEXP',
      'growing memory',
      'writes to the storage',
      'logs',
    ]
    // What is left of the floods may still take the room of unknown senders.
    const hashes = await Promise.all(
      kinds.map((what, index) =>
        until('room for an unknown sender', () =>
          send(PEER, SENDER + 1 + index, what).catch((error: Error) => {
            if (!error.message.includes('Transaction pool is full')) throw error
            return undefined
          }),
        ),
      ),
    )
    for (const hash of hashes)
      await until('a validator to stop it', async () =>
        (await explanations(hash)).some(text => text?.includes('stopped')),
      )
    const number = await untilBlocks(cluster, 4)
    expect(await hashesOf(cluster, number)).toHaveLength(1)
  })
}

scenario(
  'given four validators on all runtimes where gas is free',
  own => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-free-'))
    let network: Network

    own.beforeAll(async () => {
      const cluster = await createCluster({
        folder,
        validators: VALIDATORS.length,
        nodes: RUNTIMES.length,
        ...FREE_GAS,
        // Slow enough that transactions wait while others come.
        qbft: { xblockperiodmilliseconds: undefined, blockperiodseconds: 1, requesttimeoutseconds: 4 },
        args: [...FREE_GAS.args, `--tx-pool-max-size=${POOL_SIZE}`],
        runtimeOf: index => RUNTIMES[index - 1] as RuntimeName,
      })
      network = networkOf(cluster)
      await cluster.start(...VALIDATORS, PEER)
      await untilBlocks(cluster, 1)
    })
    own.afterAll(async () => {
      await network.cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    testPools(own, () => network)
    testSlowTransactions(own, () => network)

    own.test(
      'when only one of each runtime is left, then all three are needed, and make blocks with transactions',
      async () => {
        const { cluster, transfer, minedIn } = network
        expect(await cluster.stop(4, PEER)).toEqual([0, 0])
        const number = await minedIn(await transfer(3))
        await untilBlocks(cluster, 3)
        expect(await hashesOf(cluster, number)).toHaveLength(1)
        expect(await cluster.stop(1, 2, 3)).toEqual([0, 0, 0])
      },
    )
  },
  { skip: !RUNTIMES.every(isInstalled) },
)
