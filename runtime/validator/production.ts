import { toHex } from '../../core/bytes/hex.ts'
import type { BuiltBlock, Chain } from '../../core/chain/chain.ts'
import type { SenderTransaction } from '../../core/chain/transaction.ts'
import { type QbftConsensus, qbftAt } from '../../core/genesis/schedule.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import type { NodeKey } from '../keys/nodeKey.ts'
import type { Log } from '../logging/log.ts'
import { tellBlock } from './tellBlock.ts'
import { standing } from './standing.ts'
import { sealHeader } from './seal.ts'
import { blockTimes, blockTimestamp, selectionTimeMs } from './timing.ts'

export type ProductionOptions = {
  readonly chain: Chain
  readonly consensus: QbftConsensus
  readonly pool: TransactionPool
  /** What the pool judges by, for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly key: NodeKey
  /** At most 32 bytes. */
  readonly vanity: Uint8Array
  /** Wei per gas. */
  readonly minGasPrice: bigint
  readonly targetGasLimit: bigint | undefined
  /** Percentage of the block period that executing transactions may take. */
  readonly selectionPercent: number
  readonly log: Log
}

/** Block production of one node; `stop` resolves when a block under way is committed. */
export type Production = { stop(): Promise<void> }

/** After a failure; doubled for each that follows, so that a lasting one does not fill the log. */
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 60_000

/** Longest delay a timer takes (2^31 - 1 ms); longer waits are taken in parts. */
const TIMER_MAX_MS = 2_147_483_647

/** A head farther in the future than this means that the clock of the machine is wrong, not early. */
const CLOCK_BEHIND_MS = 60_000

/**
 * Makes the blocks of a chain whose only validator is this node: one each period, as soon as there is a transaction
 * where empty blocks wait longer. Works between requests: every step ends before the next begins, and each begins in a
 * turn of its own.
 */
export const startProduction = (options: ProductionOptions): Production => {
  const { chain, consensus, pool, key, log } = options
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Set while the only thing that is missing is a transaction. */
  let waitsForTransaction = false
  /** Set when one arrived since the last look into the pool. */
  let transactionArrived = false
  let working: Promise<void> | undefined
  let headArrivedMs = Date.now()
  let retryMs = RETRY_MIN_MS
  let toldStanding = ''

  const wakeAt = (atMs: number): void => {
    clearTimeout(timer)
    if (stopped) return
    timer = setTimeout(wake, Math.min(Math.max(atMs - Date.now(), 0), TIMER_MAX_MS))
  }

  const wake = (): void => {
    if (stopped || working !== undefined) return
    working = step()
      .catch((error: unknown) => {
        log.error('Making a block failed: {error}. Trying again in {seconds} s.', {
          error,
          seconds: retryMs / 1000,
        })
        wakeAt(Date.now() + retryMs)
        retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)
      })
      .finally(() => {
        working = undefined
      })
  }

  const mayMakeNext = async (number: bigint): Promise<boolean> => {
    const { makesBlocks, text } = standing(await chain.validators(number), key.address)
    if (text !== toldStanding) log[makesBlocks ? 'info' : 'warn'](text)
    toldStanding = text
    return makesBlocks
  }

  const step = async (): Promise<void> => {
    waitsForTransaction = false
    transactionArrived = false
    const { header } = chain.head()
    const number = header.number + 1n
    const parameters = qbftAt(consensus, number)
    const { readyAtMs, emptyAtMs } = blockTimes(parameters, header.timestamp, headArrivedMs)
    const nowMs = Date.now()
    if (nowMs < readyAtMs) {
      if (readyAtMs - nowMs > CLOCK_BEHIND_MS + parameters.blockPeriodSeconds * 1000)
        log.warn(
          'Block {number} has to wait {seconds} s: the head is from the future. Check the clock of this machine.',
          {
            number,
            seconds: Math.round((readyAtMs - nowMs) / 1000),
          },
        )
      return wakeAt(readyAtMs)
    }
    // Only a block that is made changes the validators, so there is nothing to wait for.
    if (!(await mayMakeNext(number))) return
    const emptyMay = nowMs > emptyAtMs
    if (!emptyMay && pool.counts().ready === 0) return waitForTransaction(emptyAtMs)
    const built = await build(number, parameters)
    if (!emptyMay && built.block.transactions.length === 0) return waitForTransaction(emptyAtMs)
    await commit(built)
    wakeAt(Date.now())
  }

  const waitForTransaction = (emptyAtMs: number): void => {
    waitsForTransaction = true
    wakeAt(transactionArrived ? Date.now() : emptyAtMs + 1)
  }

  const build = async (number: bigint, parameters: ReturnType<typeof qbftAt>): Promise<BuiltBlock> => {
    const startedMs = Date.now()
    const endMs = startedMs + selectionTimeMs(parameters, options.selectionPercent)
    const built = await chain.buildBlock({
      coinbase: key.address,
      timestamp: blockTimestamp(startedMs, chain.head().header.timestamp),
      targetGasLimit: options.targetGasLimit,
      vanity: options.vanity,
      minGasPrice: options.minGasPrice,
      round: 0,
      candidates: pool.candidates(options.poolHead()),
      full: () => Date.now() >= endMs,
    })
    for (const { transaction, reason } of built.rejected) {
      pool.remove(transaction.transaction.hash)
      log.info('Dropped transaction {hash}: {reason}', { hash: toHex(transaction.transaction.hash), reason })
    }
    log.debug('Built #{number} in {ms} ms', { number, ms: Date.now() - startedMs })
    return built
  }

  const commit = async (built: BuiltBlock): Promise<void> => {
    const header = sealHeader(built.block.header, key.privateKey)
    await chain.commitBuilt(built, header)
    headArrivedMs = Date.now()
    retryMs = RETRY_MIN_MS
    const mined = built.block.transactions.map(
      (transaction, index): SenderTransaction => ({
        transaction,
        sender: built.senders[index] as Uint8Array,
      }),
    )
    pool.removeMined(mined, options.poolHead())
    tellBlock(log, 'Produced', header, mined.length, pool.size, chain.head().hash)
  }

  const unsubscribe = pool.onAdded(() => {
    transactionArrived = true
    if (waitsForTransaction) wakeAt(Date.now())
    waitsForTransaction = false
  })
  wakeAt(Date.now())

  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      unsubscribe()
      await working
    },
  }
}
