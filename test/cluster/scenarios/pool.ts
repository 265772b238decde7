import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/developmentAccounts.ts'
import type { RuntimeName } from '../../runtime/nodeProcess.ts'
import { seededRandom } from '../../support/random.ts'
import { scenario } from '../../support/scenario.ts'
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
import { until, untilBlocks } from '../support/waiting.ts'

/** Validators on each runtime: Bun twice. */
const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno', 'bun']

const POOL_SIZE = 500
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
/** Ten times what the share of unknown senders has room for; every second recovers to an account. */
const RUBBISH = 1_000
const ETHER = 10n ** 18n

scenario('given four validators on all runtimes where gas is free', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-pool-'))
  const random = seededRandom(6)
  let cluster: Cluster
  let nonce = 0

  beforeAll(async () => {
    cluster = await createCluster({
      folder,
      validators: 4,
      nodes: 4,
      config: { zeroBaseFee: true },
      // Slow enough that transactions wait while others come.
      qbft: { xblockperiodmilliseconds: undefined, blockperiodseconds: 1, requesttimeoutseconds: 4 },
      args: ['--logging-format=PLAIN', '--min-gas-price=0', `--tx-pool-max-size=${POOL_SIZE}`],
      runtimeOf: index => RUNTIMES[index - 1] as RuntimeName,
    })
    await cluster.start(1, 2, 3, 4)
    await untilBlocks(cluster, 1)
  })
  afterAll(async () => {
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const { privateKey } = DEVELOPMENT_ACCOUNTS[0] as DevelopmentAccount
  const send = (index: number, encoded: Uint8Array): Promise<string> =>
    cluster.node(index).rpc<string>('eth_sendRawTransaction', toHex(encoded))
  const minedIn = (hash: string): Promise<number> =>
    until(`the receipt of ${hash}`, async () => {
      const receipt = await cluster
        .node(2)
        .rpc<{ readonly blockNumber: string } | null>('eth_getTransactionReceipt', hash)
      return receipt === null ? undefined : Number(receipt.blockNumber)
    })

  /** Transfers of a known account at price 0, to each of the nodes, while `flooding` goes on. */
  const transfersDuring = async (flooding: Promise<unknown>): Promise<readonly number[]> => {
    const waited: number[] = []
    await actDuring(flooding, 2, async round => {
      const index = 1 + (round % 4)
      const hash = await send(index, signedTransfer(privateKey, { ...FREE, nonce: BigInt(nonce++) }))
      const head = await cluster.head(index)
      waited.push((await minedIn(hash)) - head)
    })
    return waited
  }

  test('when transactions that nobody signed come over JSON-RPC then transfers of known accounts are in the next two blocks, and the pools keep room', async () => {
    const waited = await transfersDuring(floodByRpc(cluster, rubbish(random, RUBBISH, FREE)))
    expect(Math.max(...waited)).toBeLessThanOrEqual(2)
    // A tenth, and the transfer of the test.
    expect(Math.max(...(await poolSizes(cluster)))).toBeLessThanOrEqual(POOL_SIZE / 10 + 1)
  })

  test('when they come by gossip then it is the same', async () => {
    const waited = await transfersDuring(floodByGossip(cluster, rubbish(random, RUBBISH, FREE)))
    expect(Math.max(...waited)).toBeLessThanOrEqual(2)
    expect(Math.max(...(await poolSizes(cluster)))).toBeLessThanOrEqual(POOL_SIZE / 10 + 1)
  })

  test('when transactions that cannot be paid for come then all pools refuse them, from JSON-RPC and from peers', async () => {
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
    const poor = attackerKey(2)
    const { address } = DEVELOPMENT_ACCOUNTS[1] as DevelopmentAccount
    const fund = signedTransfer(privateKey, {
      ...FREE,
      nonce: BigInt(nonce++),
      to: addressOfPrivateKey(poor),
      value: ETHER,
    })
    const spend = signedTransfer(poor, { ...FREE, to: address, value: ETHER })
    const funded = await send(1, fund)
    const spent = await until('the payment on another node', () => send(2, spend).catch(() => undefined))
    await minedIn(funded)
    expect(await minedIn(spent)).toBeGreaterThan(0)
  })
})
