import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { signTransaction } from '../../../core/chain/codec/signature.ts'
import { decodeExtraData } from '../../../core/chain/codec/extraData.ts'
import { openChain } from '../../../core/chain/openChain.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/developmentAccounts.ts'
import { parseGenesisText } from '../../../core/genesis/parse.ts'
import type { QbftConsensus } from '../../../core/genesis/schedule.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { POOL_OPTIONS } from '../../../core/txpool/admission.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { configureLog, logOf } from '../../../runtime/logging/log.ts'
import type { Consensus } from '../../../runtime/consensus/consensus.ts'
import { startConsensus } from '../../../runtime/consensus/driver.ts'
import { startPoolFollower } from '../../../runtime/node/poolFollower.ts'
import { createPoolHead } from '../../../runtime/node/submit.ts'
import { genesisText, testAddress, testKey } from '../genesis.ts'

setDefaultTimeout(30_000)

type Running = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly lines: readonly string[]
  readonly running: Consensus
}

/** The consensus of a lone validator over a real chain in memory. */
const run = async (
  genesis: string,
  change: (poolHead: () => PoolHead) => () => PoolHead = poolHead => poolHead,
): Promise<Running> => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
  const storage = await openStorage('memory', '')
  const store = await openChainStore(storage)
  const chain = await openChain({
    genesis: parseGenesisText(genesis),
    store,
    onError: error => {
      throw error
    },
  })
  const pool = createTransactionPool(POOL_OPTIONS)
  const poolHead = createPoolHead(chain, () => 0n)
  const consensus = chain.configuration.consensus as QbftConsensus
  const follower = startPoolFollower({ chain, pool, poolHead, log: logOf('pool') })
  const running = await startConsensus({
    chain,
    consensus,
    pool,
    poolHead: change(poolHead),
    key: nodeKeyOf(testKey(1)),
    settings: () => ({
      extraData: new TextEncoder().encode('test'),
      minGasPrice: 0n,
      minPriorityFee: 0n,
      targetGasLimit: undefined,
    }),
    selectionPercent: 75,
    log: logOf('validator'),
    standingVotes: () => [],
    storage,
    environment: {
      dialect: 'blockAccessList',
      requestTimeoutMs: 200,
      requestTimeoutMaxMs: 60_000,
      earlyRoundChange: true,
      duplicateMessagesMax: 100,
      futureMessagesMax: 1000,
      futureDistanceMax: 10,
    },
    refusal: undefined,
    messageQueueMax: 1000,
    poolSettled: follower.settled,
    exchange: undefined,
  })
  return { chain, pool, poolHead, lines, running }
}

const transfer = (nonce: bigint) => {
  const { address, privateKey } = DEVELOPMENT_ACCOUNTS[0] as DevelopmentAccount
  const transaction = signTransaction(
    {
      type: 2,
      chainId: 4242n,
      nonce,
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: 10n ** 10n,
      gasLimit: 21_000n,
      to: testAddress(9),
      value: 1n,
      data: new Uint8Array(0),
      accessList: [],
      maxFeePerBlobGas: 0n,
      blobVersionedHashes: [],
      authorizationList: [],
    },
    privateKey,
  )
  return { transaction, sender: address }
}

const INSTANT = { xblockperiodmilliseconds: 10, xemptyblockperiodseconds: 2_000_000_000 }

const heads = (chain: Chain, count: number): Promise<void> =>
  new Promise(resolve => {
    let left = count
    chain.onHead(() => {
      if (--left === 0) resolve()
    })
  })

describe('given a chain whose only validator is this node', () => {
  test('when empty blocks wait then a transaction makes one, sealed by the validator, and the pool is empty again', async () => {
    const { chain, pool, poolHead, lines, running } = await run(genesisText({ qbft: INSTANT }))
    const made = heads(chain, 1)
    pool.add(transfer(0n), poolHead())
    await made
    await running.stop()
    const { header } = chain.head()
    const record = await chain.store.record(1n)
    expect(record?.block.transactions).toHaveLength(1)
    expect(decodeExtraData(header.extraData)).toMatchObject({ round: 0, validators: [testAddress(1)] })
    expect(decodeExtraData(header.extraData).seals).toHaveLength(1)
    expect(pool.size).toBe(0)
    expect(lines.at(-1)).toMatch(
      /INFO {2}\| validator \| Produced #1 \/ 1 tx \/ 0 pending \/ 21,000 \(0\.0%\) gas \/ \(0x/,
    )
  })

  test('when a transaction waits behind a gap then nothing is made until the gap is closed', async () => {
    const { chain, pool, poolHead, running } = await run(genesisText({ qbft: INSTANT }))
    pool.add(transfer(1n), poolHead())
    await Bun.sleep(60)
    expect(chain.head().header.number).toBe(0n)
    const made = heads(chain, 1)
    pool.add(transfer(0n), poolHead())
    await made
    await running.stop()
    expect((await chain.store.record(1n))?.block.transactions).toHaveLength(2)
  })

  test('when empty blocks are wanted then they come one after the other, and stop when the consensus stops', async () => {
    const { chain, running } = await run(genesisText({ qbft: { xblockperiodmilliseconds: 10 } }))
    await heads(chain, 3)
    await running.stop()
    const { number } = chain.head().header
    await Bun.sleep(50)
    expect(chain.head().header.number).toBe(number)
  })

  test('when making a block fails then the log says so and the next round makes it', async () => {
    let failures = 1
    const { chain, lines, running } = await run(
      genesisText({ qbft: { xblockperiodmilliseconds: 10 } }),
      poolHead => () => {
        if (failures-- > 0) throw new Error('the disk is full')
        return poolHead()
      },
    )
    await heads(chain, 1)
    await running.stop()
    expect(lines.filter(line => line.includes('ERROR'))[0]).toContain(
      'Making block 1 failed: the disk is full. The next round is another chance.',
    )
  })
})
