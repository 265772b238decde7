import type { Address } from '../../core/bytes/bytes.ts'
import type { QbftEnvironment } from '../../core/qbft/environment.ts'
import type { HeadContext, Input } from '../../core/qbft/input.ts'
import { InvariantBroken } from '../../core/qbft/invariant.ts'
import { type Transition, transitionSteps } from '../../core/qbft/machine.ts'
import { newRecall } from '../../core/qbft/restart/recall.ts'
import { initialState } from '../../core/qbft/state.ts'
import { runStepsYielding } from '../../core/steps.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { YieldTurn } from '../../core/scheduler.ts'
import type { RunningConsensus } from './consensus.ts'
import type { ConsensusOptions, DriverState } from './driverState.ts'
import { type HeadWatcher, startHeadWatcher } from './inputs/headWatcher.ts'
import { createInputLoop, type InputLoop } from './inputs/inputLoop.ts'
import { createParts, type DriverParts } from './parts.ts'
import { readRestartRecord } from './record/recordStore.ts'
import { finishHeight } from './finishHeight.ts'
import { createHeadReport } from './reports/headReport.ts'

/** The state machine, its input queue and the handlers of its effects. */
type Driver = {
  readonly options: ConsensusOptions
  readonly environment: QbftEnvironment
  readonly state: DriverState
  readonly parts: DriverParts
  readonly inputs: InputLoop
  readonly reportHead: (head: HeadContext) => void
}

/** The transition; undefined when an invariant is broken, after which this validator signs nothing until it is restarted. */
const transitionOf = async (
  { environment, state, options }: Driver,
  input: Input,
  pause: YieldTurn,
): Promise<Transition | undefined> => {
  try {
    return await runStepsYielding(transitionSteps(environment, state.qbft, input, Date.now()), pause)
  } catch (error) {
    if (!(error instanceof InvariantBroken)) throw error
    state.brokenInvariant = error.message
    options.log.error('This validator signs nothing any more: {error}', { error })
    return undefined
  }
}

const processInput = async (driver: Driver, input: Input, yieldTurn: YieldTurn): Promise<void> => {
  const { state, parts, options } = driver
  // What it would sign after a broken invariant may contradict what it signed before.
  if (state.brokenInvariant !== undefined) return
  parts.watch.before(input)
  const pause: YieldTurn = () => options.signer.pending() ?? yieldTurn()
  const next = await transitionOf(driver, input, pause)
  if (next === undefined) return
  state.qbft = next.state
  parts.observer.stepped({ input, effects: next.effects, state: next.state, nowMs: Date.now() })
  const performed = parts.effectHandler.perform(next.effects)
  parts.watch.after(input)
  await performed
}

/** Counts a message that the state machine does not see. */
const refuse = (
  { state, parts }: Driver,
  peer: Address,
  code: number,
  reason: 'queue-full' | 'peer-not-a-validator',
): void => {
  parts.droppedMessages.refused(peer, reason, state.validators)
  parts.observer.refused(peer, code, reason)
}

const onHead = ({ state, parts, inputs, reportHead }: Driver, head: HeadContext): void => {
  if (head.number !== state.headNumber) {
    state.validators = head.validators
    state.headNumber = head.number
    reportHead(head)
    parts.rounds.newHead(head.validators)
    parts.observer.newHead(head, Date.now())
    parts.blockExecutor.newHead()
  }
  inputs.accept({ kind: 'head', head })
}

const openDriver = async (options: ConsensusOptions): Promise<Driver> => {
  const { chain, key, sync, refusal, log } = options
  const { record, isDamaged } = await readRestartRecord(options.record, chain.head().header.number, log)
  const state: DriverState = {
    qbft: initialState(record, newRecall(record?.sequence, isDamaged)),
    network: undefined,
    brokenInvariant: undefined,
    validators: [],
    headNumber: -1n,
  }
  const inputs = createInputLoop({
    messagesMax: options.messageQueueMax,
    process: (input, yieldTurn) => processInput(driver, input, yieldTurn),
    onRefused: ({ peer, message }) => refuse(driver, peer, message.code, 'queue-full'),
    log,
  })
  const parts = createParts(options, state, inputs)
  const driver: Driver = {
    options,
    environment: {
      ...options.environment,
      address: key.address,
      sign: options.signer.sign,
    },
    state,
    parts,
    inputs,
    reportHead: createHeadReport({
      address: key.address,
      connects: sync !== undefined,
      refusal,
      startBlock: options.consensus.startBlock,
      log,
    }),
  }
  return driver
}

/** Waits for running work and for the work that follows from it: a built block is committed. */
const finished = async (driver: Driver): Promise<void> => {
  const { inputs, parts } = driver
  await inputs.drained()
  if (!parts.effectHandler.isWorking()) return
  await parts.effectHandler.done()
  await finished(driver)
}

const stopDriver = async (driver: Driver, headWatcher: HeadWatcher): Promise<void> => {
  const { watch, timers, blockExecutor, droppedMessages } = driver.parts
  driver.inputs.stop()
  watch.stop()
  timers.stop()
  blockExecutor.stop()
  await headWatcher.stop()
  await finished(driver)
  timers.stop()
  droppedMessages.stop()
}

/**
 * Drives the consensus state machine: processes inputs one at a time and performs the effects of each before the next.
 * @throws the storage's error if the restart record cannot be read
 */
export const startConsensus = async (options: ConsensusOptions): Promise<RunningConsensus> => {
  const { sync, keyInUse } = options
  const driver = await openDriver(options)
  const { state, inputs } = driver
  const { messageCounters, effectHandler, report, timers, writes, proposalGasMax } = driver.parts
  const headWatcher = startHeadWatcher({
    ...options,
    isActive: () =>
      options.refusal === undefined && sync?.progress() === undefined && keyInUse?.isSeen() !== true,
    report: head => onHead(driver, head),
  })
  const unsubscribers = [
    sync?.onProgress(headWatcher.refresh),
    keyInUse?.onChange(() => {
      if (keyInUse.isSeen()) inputs.accept({ kind: 'record-doubted' })
      headWatcher.refresh()
    }),
  ]

  return {
    message: (peer, code, data) => {
      messageCounters.received(data.length)
      // Only validators send consensus messages: those of other peers are dropped unread.
      if (includesAddress(state.validators, peer.address))
        inputs.accept({ kind: 'message', message: { code, data }, peer: peer.address })
      else refuse(driver, peer.address, code, 'peer-not-a-validator')
    },
    // During a sync the validators of the old head may be out of date.
    validators: () =>
      state.validators.length === 0 || sync?.progress() !== undefined ? undefined : state.validators,
    peerConnected: peer => inputs.accept({ kind: 'peer-connected', peer: peer.address }),
    attach: network => {
      state.network = network
      // After a resume, peers are connected already.
      for (const { address } of network.peers()) inputs.accept({ kind: 'peer-connected', peer: address })
    },
    round: () => {
      const { height } = state.qbft
      return height?.active === true ? height.round?.round : undefined
    },
    failure: effectHandler.failure,
    brokenInvariant: () => state.brokenInvariant,
    validatorsFailure: headWatcher.failure,
    report,
    roundEndsMs: () => timers.dueMs('round'),
    writes: writes.times,
    proposalGasMax,
    finishHeight: () => finishHeight(options, state),
    stop: () => {
      for (const unsubscribe of unsubscribers) unsubscribe?.()
      return stopDriver(driver, headWatcher)
    },
  }
}
