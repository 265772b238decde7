import { openChain } from '../../../core/chain/opening/openChain.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import type { QbftConsensus } from '../../../core/genesis/qbftSchedule.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { POOL_OPTIONS } from '../../../core/txpool/admission.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import type { RunningConsensus } from '../../../runtime/consensus/consensus.ts'
import { startConsensus } from '../../../runtime/consensus/driver.ts'
import { recordInStorage } from '../../../runtime/consensus/record/recordFile.ts'
import { validatorFilesInStorage } from '../../../runtime/consensus/record/validatorFiles.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { createConsensusSigner } from '../../../runtime/signing/consensusSigner.ts'
import { localSigner, type ValidatorSigner } from '../../../runtime/signing/signer.ts'
import { configureLog, logOf } from '../../../runtime/logging/log.ts'
import { startPoolFollower } from '../../../runtime/node/pool/poolFollower.ts'
import { createPoolHead } from '../../../runtime/node/pool/submit.ts'
import { testKey } from '../genesis.ts'

export type Running = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly lines: readonly string[]
  readonly running: RunningConsensus
}

export type RunOptions = {
  /** Of `testKey`. */
  readonly key?: number
  readonly signer?: Pick<ValidatorSigner, 'sign'>
  readonly storage?: KeyValueStore
  readonly change?: (poolHead: () => PoolHead) => () => PoolHead
  readonly requestTimeoutMs?: number
}

/** The consensus of one validator over a real chain, in memory unless a storage is given. */
export const runConsensus = async (
  genesis: string,
  { key = 1, signer, storage: given, change = poolHead => poolHead, requestTimeoutMs = 200 }: RunOptions = {},
): Promise<Running> => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
  const storage = given ?? (await openStorage('memory', ''))
  const store = await openChainStore(storage)
  const chain = await openChain({
    genesis: parseGenesisText(genesis),
    store,
    onError: error => {
      throw error
    },
  })
  const pool = createTransactionPool(POOL_OPTIONS)
  const poolHead = createPoolHead(chain, () => ({ minGasPrice: 0n, minPriorityFee: 0n }))
  const consensus = chain.configuration.consensus as QbftConsensus
  const follower = startPoolFollower({ chain, pool, poolHead, log: logOf('pool') })
  const running = await startConsensus({
    chain,
    consensus,
    pool,
    poolHead: change(poolHead),
    key: nodeKeyOf(testKey(key)),
    signer: createConsensusSigner(signer ?? localSigner(nodeKeyOf(testKey(key)))),
    settings: () => ({
      extraData: new TextEncoder().encode('test'),
      minGasPrice: 0n,
      minPriorityFee: 0n,
      targetGasLimit: undefined,
    }),
    selectionPercent: 75,
    log: logOf('validator'),
    standingVotes: () => [],
    files: validatorFilesInStorage(storage),
    record: recordInStorage(storage),
    environment: {
      dialect: 'blockAccessList',
      requestTimeoutMs,
      requestTimeoutMaxMs: 60_000,
      earlyRoundChange: true,
      proposesRoundZero: false,
      duplicateMessagesMax: 100,
      futureMessagesMax: 1000,
      futureDistanceMax: 10,
    },
    refusal: undefined,
    messageQueueMax: 1000,
    poolSettled: follower.settled,
    sync: undefined,
  })
  return { chain, pool, poolHead, lines, running }
}

/** Resolves when so many more blocks are on the chain. */
export const heads = (chain: Chain, count: number): Promise<void> =>
  new Promise(resolve => {
    let left = count
    const unsubscribe = chain.onHead(() => {
      if (--left > 0) return
      unsubscribe()
      resolve()
    })
  })
