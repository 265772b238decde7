import { type Address, equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import type { Block } from '../../core/chain/block.ts'
import { sealOfSignature } from '../../core/chain/codec/seal.ts'
import { sign } from '../../core/crypto/crypto.ts'
import type { QbftEnvironment } from '../../core/qbft/environment.ts'
import type { HeadContext, Input } from '../../core/qbft/input.ts'
import { transitionSteps } from '../../core/qbft/machine.ts'
import { newRecall } from '../../core/qbft/recall.ts'
import { initialState } from '../../core/qbft/state.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Network } from '../../p2p/network.ts'
import type { Exchange } from '../sync/exchange.ts'
import { createSlice, nextTurn } from '../schedule.ts'
import { tellBlock } from './logBlock.ts'
import { type BlockBuilderOptions, createBlockBuilder } from './blockBuilder.ts'
import { createBlockWork } from './blockExecutor.ts'
import type { Consensus } from './consensus.ts'
import { createDrops } from './droppedMessages.ts'
import { createEvidenceStore } from './evidenceStore.ts'
import { createHeadReport } from './headReport.ts'
import { startHeadPump } from './headWatcher.ts'
import { createInputQueue } from './inputQueue.ts'
import { createPerformer } from './effectHandler.ts'
import { createRecallLog } from './recallLog.ts'
import type { RecordPlace } from './recordFile.ts'
import { createRecordStore, readRestartRecord } from './recordStore.ts'
import { createRoundLog } from './roundLog.ts'
import { createTimers } from './timers.ts'
import { createTraffic } from './messageCounters.ts'
import { createTransactionWatch } from './transactionWatch.ts'

export type ConsensusOptions = BlockBuilderOptions & {
  /** Evidence is kept beside the chain. */
  readonly storage: Pick<KeyValueStore, 'get' | 'setDurably'>
  readonly record: RecordPlace
  readonly environment: Omit<QbftEnvironment, 'address' | 'sign'>
  /** Why this node must not sign although it were a validator; undefined when it may. */
  readonly refusal: string | undefined
  /** Messages that may wait (`messagequeuelimit`). */
  readonly messageQueueMax: number
  /** Resolves when the pool is rid of what the head made stale. */
  readonly poolSettled: () => Promise<void>
  /** Undefined where the node talks to no others. */
  readonly exchange: Pick<Exchange, 'progress' | 'onProgress' | 'heardOf' | 'committed'> | undefined
}

/**
 * Runs the consensus machine against the real world: inputs in one order, the effects of each performed before the next.
 * @throws what the storage throws when the restart record cannot be read
 */
export const startConsensus = async (options: ConsensusOptions): Promise<Consensus> => {
  const { chain, pool, key, exchange, log } = options
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
      if (input.kind === 'message') drops.refused(input.peer, 'queue-full', validators)
      return
    }
    draining ??= Promise.resolve().then(drain)
  }
  /** What begins something new is not taken any more when the node stops. */
  const take = (input: Input): void => {
    if (!stopping) put(input)
  }

  const report = createHeadReport({
    address: key.address,
    connects: exchange !== undefined,
    refusal: options.refusal,
    log,
  })
  const onHead = (head: HeadContext): void => {
    if (head.number !== headNumber) {
      ;({ validators, number: headNumber } = head)
      report(head)
      rounds.newHead(validators)
      work.newHead()
    }
    take({ kind: 'head', head })
  }

  const onCommitted = async (
    block: Block,
    hash: Hash,
    proposalToCommitMs: number | undefined,
  ): Promise<void> => {
    // A commit went before, and telling of a large block takes some milliseconds more.
    await nextTurn()
    await exchange?.committed(block)
    await options.poolSettled()
    const isOwn = equalBytes(block.header.coinbase, key.address)
    const what = isOwn ? 'Produced' : 'Imported'
    tellBlock(log, what, block.header, block.transactions.length, pool.size, hash, 'info', {
      proposalToCommitMs,
      ...traffic.totals(),
    })
  }

  const drops = createDrops(log)
  const traffic = createTraffic()
  const rounds = createRoundLog(log, key.address, () => network?.peers().map(({ address }) => address) ?? [])
  const watch = createTransactionWatch(pool, () => take({ kind: 'transactions-waiting' }))
  const timers = createTimers(timer => take({ kind: 'timer', timer, transactionsWaiting: watch.isWaiting() }))
  const work = createBlockWork({
    chain,
    build: createBlockBuilder(options),
    roundEndMs: () => timers.dueMs('round'),
    answer: put,
    onCommitted,
    log,
  })
  const performer = createPerformer({
    network: () => network,
    records: createRecordStore(options.record, () => chain.store.settle()),
    evidence: createEvidenceStore(options.storage, log),
    timers,
    work,
    rounds,
    drops,
    traffic,
    validators: () => validators,
    statusKnown: ({ address, status }) =>
      take({
        kind: 'position',
        peer: address,
        position: { sequence: status.headNumber + 1n, round: -1 },
      }),
    recallLog: createRecallLog(log),
    heardOf: (peer, number) => exchange?.heardOf(peer, number),
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
    const performed = performer.perform(next.value.effects)
    watch.after(input)
    await performed
  }

  const drain = async (): Promise<void> => {
    const pause = createSlice()
    for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
      // The work that this input is the answer of may have filled the turn.
      await pause()
      try {
        await step(input, pause)
      } catch (error) {
        log.error('The consensus failed at {kind}: {error}', { kind: input.kind, error })
      }
    }
    draining = undefined
  }

  /** What is under way leads to more: a block that was built is committed. */
  const finished = async (): Promise<void> => {
    await draining
    if (!performer.isWorking()) return
    await performer.worked()
    await finished()
  }

  const isActive = (): boolean => options.refusal === undefined && exchange?.progress() === undefined
  const pump = startHeadPump({ ...options, isActive, tell: onHead })
  const unsubscribe = exchange?.onProgress(pump.refresh)

  return {
    message: (peer, code, data) => {
      traffic.received(data.length)
      // Only validators sign messages, and pass on those of others: what anybody else sends is not even read.
      if (includesAddress(validators, peer.address))
        take({ kind: 'message', message: { code, data }, peer: peer.address })
      else drops.refused(peer.address, 'peer-not-a-validator', validators)
    },
    // Those of an old head say little of those of today.
    validators: () =>
      validators.length === 0 || exchange?.progress() !== undefined ? undefined : validators,
    peerConnected: peer => take({ kind: 'peer-connected', peer: peer.address }),
    attach: to => {
      network = to
      // Consensus that is resumed finds them connected.
      for (const { address } of to.peers()) take({ kind: 'peer-connected', peer: address })
    },
    round: () => {
      const { height } = state
      return height?.active === true ? height.round?.round : undefined
    },
    failure: performer.trouble,
    stall: rounds.stall,
    stop: async () => {
      stopping = true
      unsubscribe?.()
      watch.stop()
      timers.stop()
      work.stop()
      await pump.stop()
      await finished()
      timers.stop()
      drops.stop()
    },
  }
}
