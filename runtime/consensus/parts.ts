import { equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import type { Block } from '../../core/block/block.ts'
import { qbftByNumber } from '../../core/genesis/qbftSchedule.ts'
import { logBlock } from '../logging/logBlock.ts'
import { exclusiveTurn } from '../scheduler.ts'
import { createBlockBuilder } from './blocks/blockBuilder.ts'
import { type BlockExecutor, createBlockExecutor } from './blocks/blockExecutor.ts'
import { createGasBound } from './blocks/gasBound.ts'
import type { ConsensusOptions, DriverState } from './driverState.ts'
import { createEffectHandler, type EffectHandler } from './effectHandler.ts'
import type { InputLoop } from './inputs/inputLoop.ts'
import { createEvidenceStore } from './record/evidenceStore.ts'
import { createRecallLog } from './record/recallLog.ts'
import { createRecordStore } from './record/recordStore.ts'
import { createDroppedMessages, type DroppedMessages } from './reports/droppedMessages.ts'
import { type ConsensusReport, createConsensusReport } from './reports/consensusReport.ts'
import { createMessageCounters, type MessageCounters } from './reports/messageCounters.ts'
import { combineObservers, type ConsensusObserver } from './reports/observer.ts'
import { createWriteClock, type WriteClock } from './reports/writeClock.ts'
import { createRoundLog, type RoundLog } from './reports/roundLog.ts'
import { createTransactionWatch, type TransactionWatch } from './reports/transactionWatch.ts'
import { createTimers, type Timers } from './inputs/timers.ts'

/** The handlers of the state machine's effects, and the receivers of its reports. */
export type DriverParts = {
  readonly droppedMessages: DroppedMessages
  readonly messageCounters: MessageCounters
  readonly report: () => ConsensusReport
  /** Fill the report and the metrics. */
  readonly observer: ConsensusObserver
  readonly writes: WriteClock
  readonly proposalGasMax: () => bigint | undefined
  readonly rounds: RoundLog
  readonly watch: TransactionWatch
  readonly timers: Timers
  readonly blockExecutor: BlockExecutor
  readonly effectHandler: EffectHandler
}

/** Announces and logs a committed block. */
const announce = async (
  { sync, key, log, pool, poolSettled }: ConsensusOptions,
  {
    block,
    hash,
    proposalToCommitMs,
    messageCounters,
  }: {
    readonly block: Block
    readonly hash: Hash
    readonly proposalToCommitMs: number | undefined
    readonly messageCounters: MessageCounters
  },
): Promise<void> => {
  // The commit has used this tick; announcing a large block takes a few milliseconds more.
  await exclusiveTurn()
  await sync?.committed(block)
  await poolSettled()
  const { header, transactions } = block
  const verb = equalBytes(header.coinbase, key.address) ? 'Produced' : 'Imported'
  logBlock(log, verb, header, transactions.length, pool.size, hash, 'info', {
    proposalToCommitMs,
    ...messageCounters.totals(),
  })
}

/** @param inputs receives the results of the parts; not called before this function returns */
export const createParts = (
  options: ConsensusOptions,
  state: DriverState,
  { put, accept }: Pick<InputLoop, 'put' | 'accept'>,
): DriverParts => {
  const { chain, pool, key, sync, log } = options
  const droppedMessages = createDroppedMessages(log)
  const report = createConsensusReport(key.address)
  const gasBound = createGasBound(() => chain.head().header.gasUsed, log)
  const observer = combineObservers([
    report.observer,
    gasBound.observer,
    ...(options.observer === undefined ? [] : [options.observer]),
  ])
  const messageCounters = createMessageCounters(observer)
  const rounds = createRoundLog(log, key.address)
  const watch = createTransactionWatch(pool, () => accept({ kind: 'transactions-waiting' }))
  const timers = createTimers(timer =>
    accept({ kind: 'timer', timer, transactionsWaiting: watch.isWaiting() }),
  )
  const writes = createWriteClock()
  const records = createRecordStore(options.record, () => chain.store.settle())
  const blockExecutor = createBlockExecutor({
    chain: {
      ...chain,
      commitBuilt: (built, header, durable) => writes.during(() => chain.commitBuilt(built, header, durable)),
    },
    build: createBlockBuilder(options, gasBound),
    roundEndMs: () => timers.dueMs('round'),
    firstRoundMs: () =>
      1000 * qbftByNumber(options.consensus, chain.head().header.number + 1n).requestTimeoutSeconds,
    answer: put,
    onCommitted: (block, hash, proposalToCommitMs) =>
      announce(options, { block, hash, proposalToCommitMs, messageCounters }),
    log,
  })
  const effectHandler = createEffectHandler({
    network: () => state.network,
    records: { write: record => writes.during(() => records.write(record)) },
    evidence: createEvidenceStore(options.files, log),
    timers,
    blockExecutor,
    rounds,
    droppedMessages,
    messageCounters,
    validators: () => state.validators,
    statusKnown: ({ address, status }) =>
      accept({ kind: 'position', peer: address, sequence: status.headNumber + 1n }),
    recallLog: createRecallLog(log),
    raisePeerHead: (peer, number) => sync?.raisePeerHead(peer, number),
    log,
  })
  return {
    droppedMessages,
    messageCounters,
    report: report.now,
    observer,
    writes,
    proposalGasMax: gasBound.gasMax,
    rounds,
    watch,
    timers,
    blockExecutor,
    effectHandler,
  }
}
