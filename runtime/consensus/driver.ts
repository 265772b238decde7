import { type Address, equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import type { Block } from '../../core/block/block.ts'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { sign } from '../../core/crypto/crypto.ts'
import type { QbftEnvironment } from '../../core/qbft/environment.ts'
import type { HeadContext, Input } from '../../core/qbft/input.ts'
import { transitionSteps } from '../../core/qbft/machine.ts'
import { newRecall } from '../../core/qbft/restart/recall.ts'
import { initialState } from '../../core/qbft/state.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Network } from '../../p2p/network.ts'
import type { Sync } from '../../p2p/sync/sync.ts'
import { createSlice, nextTurn } from '../schedule.ts'
import { logBlock } from '../logging/logBlock.ts'
import { type BlockBuilderOptions, createBlockBuilder } from './blockBuilder.ts'
import { createBlockExecutor } from './blockExecutor.ts'
import type { Consensus } from './consensus.ts'
import { createDroppedMessages } from './reports/droppedMessages.ts'
import { createEvidenceStore } from './record/evidenceStore.ts'
import type { ValidatorFiles } from './record/validatorFiles.ts'
import { createHeadReport } from './reports/headReport.ts'
import { startHeadWatcher } from './headWatcher.ts'
import { createInputQueue } from './inputQueue.ts'
import { createEffectHandler } from './effectHandler.ts'
import { createRecallLog } from './record/recallLog.ts'
import type { RecordPlace } from './record/recordFile.ts'
import { createRecordStore, readRestartRecord } from './record/recordStore.ts'
import { createRoundLog } from './reports/roundLog.ts'
import { createTimers } from './timers.ts'
import { createMessageCounters } from './reports/messageCounters.ts'
import { createTransactionWatch } from './reports/transactionWatch.ts'

export type ConsensusOptions = BlockBuilderOptions & {
  /** Keeps evidence. */
  readonly files: ValidatorFiles
  readonly record: RecordPlace
  readonly environment: Omit<QbftEnvironment, 'address' | 'sign'>
  /** Why this node must not sign even as a validator; undefined if it may. */
  readonly refusal: string | undefined
  /** Maximum queued messages (`messagequeuelimit`). */
  readonly messageQueueMax: number
  /** Resolves when the pool has removed the transactions that the head made stale. */
  readonly poolSettled: () => Promise<void>
  /** Undefined without a network. */
  readonly sync: Pick<Sync, 'progress' | 'onProgress' | 'heardOf' | 'committed'> | undefined
}

/**
 * Drives the consensus state machine: processes inputs one at a time and performs the effects of each before the next.
 * @throws the storage's error if the restart record cannot be read
 */
export const startConsensus = async (options: ConsensusOptions): Promise<Consensus> => {
  const { chain, pool, key, sync, log } = options
  const queue = createInputQueue(options.messageQueueMax)
  const environment: QbftEnvironment = {
    ...options.environment,
    address: key.address,
    sign: digest => sealOfSignature(sign(digest, key.privateKey)),
  }
  const memory = await readRestartRecord(options.record, chain.head().header.number, log)
  let state = initialState(memory.record, newRecall(memory.record?.sequence, memory.isDamaged))
  let network: Network | undefined
  let validators: readonly Address[] = []
  let headNumber = -1n
  let stopping = false
  let draining: Promise<void> | undefined

  const put = (input: Input): void => {
    if (!queue.push(input)) {
      if (input.kind === 'message') droppedMessages.refused(input.peer, 'queue-full', validators)
      return
    }
    draining ??= Promise.resolve().then(drain)
  }
  /** Ignores inputs once the node stops. Results of running work still come through `put`. */
  const take = (input: Input): void => {
    if (!stopping) put(input)
  }

  const report = createHeadReport({
    address: key.address,
    connects: sync !== undefined,
    refusal: options.refusal,
    log,
  })
  const onHead = (head: HeadContext): void => {
    if (head.number !== headNumber) {
      ;({ validators, number: headNumber } = head)
      report(head)
      rounds.newHead(validators)
      blockExecutor.newHead()
    }
    take({ kind: 'head', head })
  }

  const onCommitted = async (
    block: Block,
    hash: Hash,
    proposalToCommitMs: number | undefined,
  ): Promise<void> => {
    // The commit has used this tick; announcing a large block takes a few milliseconds more.
    await nextTurn()
    await sync?.committed(block)
    await options.poolSettled()
    const isOwn = equalBytes(block.header.coinbase, key.address)
    const what = isOwn ? 'Produced' : 'Imported'
    logBlock(log, what, block.header, block.transactions.length, pool.size, hash, 'info', {
      proposalToCommitMs,
      ...messageCounters.totals(),
    })
  }

  const droppedMessages = createDroppedMessages(log)
  const messageCounters = createMessageCounters()
  const rounds = createRoundLog(log, key.address, () => network?.peers().map(({ address }) => address) ?? [])
  const watch = createTransactionWatch(pool, () => take({ kind: 'transactions-waiting' }))
  const timers = createTimers(timer => take({ kind: 'timer', timer, transactionsWaiting: watch.isWaiting() }))
  const blockExecutor = createBlockExecutor({
    chain,
    build: createBlockBuilder(options),
    roundEndMs: () => timers.dueMs('round'),
    answer: put,
    onCommitted,
    log,
  })
  const effectHandler = createEffectHandler({
    network: () => network,
    records: createRecordStore(options.record, () => chain.store.settle()),
    evidence: createEvidenceStore(options.files, log),
    timers,
    blockExecutor,
    rounds,
    droppedMessages,
    messageCounters,
    validators: () => validators,
    statusKnown: ({ address, status }) =>
      take({
        kind: 'position',
        peer: address,
        position: { sequence: status.headNumber + 1n, round: -1 },
      }),
    recallLog: createRecallLog(log),
    heardOf: (peer, number) => sync?.heardOf(peer, number),
    log,
  })

  const step = async (input: Input, pause: () => Promise<void>): Promise<void> => {
    watch.before(input)
    const steps = transitionSteps(environment, state, input, Date.now())
    let next = steps.next()
    while (next.done !== true) {
      await pause()
      next = steps.next()
    }
    state = next.value.state
    const performed = effectHandler.perform(next.value.effects)
    watch.after(input)
    await performed
  }

  const drain = async (): Promise<void> => {
    const pause = createSlice()
    for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
      // The work that produced this input may have used up the time slice.
      await pause()
      try {
        await step(input, pause)
      } catch (error) {
        log.error('Consensus failed to process an input of kind {kind}: {error}', { kind: input.kind, error })
      }
    }
    draining = undefined
  }

  /** Waits for running work and for the work that follows from it: a built block is committed. */
  const finished = async (): Promise<void> => {
    await draining
    if (!effectHandler.isWorking()) return
    await effectHandler.worked()
    await finished()
  }

  const isActive = (): boolean => options.refusal === undefined && sync?.progress() === undefined
  const headWatcher = startHeadWatcher({ ...options, isActive, report: onHead })
  const unsubscribe = sync?.onProgress(headWatcher.refresh)

  return {
    message: (peer, code, data) => {
      messageCounters.received(data.length)
      // Only validators send consensus messages: those of other peers are dropped unread.
      if (includesAddress(validators, peer.address))
        take({ kind: 'message', message: { code, data }, peer: peer.address })
      else droppedMessages.refused(peer.address, 'peer-not-a-validator', validators)
    },
    // During a sync the validators of the old head may be out of date.
    validators: () => (validators.length === 0 || sync?.progress() !== undefined ? undefined : validators),
    peerConnected: peer => take({ kind: 'peer-connected', peer: peer.address }),
    attach: to => {
      network = to
      // After a resume, peers are connected already.
      for (const { address } of to.peers()) take({ kind: 'peer-connected', peer: address })
    },
    round: () => {
      const { height } = state
      return height?.active === true ? height.round?.round : undefined
    },
    failure: effectHandler.trouble,
    stall: rounds.stall,
    stop: async () => {
      stopping = true
      unsubscribe?.()
      watch.stop()
      timers.stop()
      blockExecutor.stop()
      await headWatcher.stop()
      await finished()
      timers.stop()
      droppedMessages.stop()
    },
  }
}
