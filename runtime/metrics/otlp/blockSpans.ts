import type { Chain } from '../../../core/chain/chain.ts'
import type { ConsensusObserver } from '../../consensus/reports/observer.ts'
import { createRoundSteps } from '../roundSteps.ts'
import { newSpanId, newTraceId, type Span, type SpanQueue } from './spans.ts'

/** Spans of one height: each round adds a few, and a height may take many rounds. */
const CHILDREN_MAX = 64

export type BlockSpans = {
  readonly observer: ConsensusObserver
  /** The chain, whose executions and writes are spans of their block. */
  traceChain(chain: Chain): Chain
}

/** The trace of one height. */
type Trace = {
  readonly sequence: bigint
  readonly root: Pick<Span, 'traceId' | 'spanId'>
  readonly startMs: number
  readonly children: Span[]
  round: number
}

type State = {
  current: Trace | undefined
  /** The last trace that was sent; the write of its block may end later. */
  sent: Trace | undefined
}

const childOf = (
  { root, sequence, round }: Trace,
  name: string,
  startMs: number,
  endMs: number,
  attributes: Span['attributes'] = {},
): Span => ({
  traceId: root.traceId,
  spanId: newSpanId(),
  parentSpanId: root.spanId,
  name,
  kind: 'internal',
  startMs,
  endMs,
  attributes: { 'block.number': Number(sequence), 'qbft.round': round, ...attributes },
})

const addChild = (
  trace: Trace | undefined,
  name: string,
  startMs: number,
  endMs: number,
  attributes?: Span['attributes'],
): void => {
  if (trace !== undefined && trace.children.length < CHILDREN_MAX)
    trace.children.push(childOf(trace, name, startMs, endMs, attributes))
}

const send = (queue: SpanQueue, trace: Trace, endMs: number): void => {
  const { root, sequence, startMs, round, children } = trace
  queue.push({
    ...root,
    parentSpanId: undefined,
    name: 'block',
    kind: 'internal',
    startMs,
    endMs,
    attributes: { 'block.number': Number(sequence), 'qbft.round': round },
  })
  for (const child of children) queue.push(child)
}

/** A trace of each height, from its first round to the new head: propose, execute, prepare, commit and write. */
export const createBlockSpans = (queue: SpanQueue): BlockSpans => {
  const state: State = { current: undefined, sent: undefined }

  const steps = createRoundSteps({
    step: (step, sinceMs, nowMs) => {
      // The write itself is measured at the chain.
      if (step !== 'import') addChild(state.current, step, sinceMs, nowMs)
    },
    quorum: () => undefined,
  })

  const executed = (number: bigint, startMs: number, transactions: number): void => {
    if (state.current?.sequence === number)
      addChild(state.current, 'execute', startMs, Date.now(), { 'block.transactions': transactions })
  }
  const written = (number: bigint, startMs: number): void => {
    if (state.current?.sequence === number) addChild(state.current, 'write', startMs, Date.now())
    else if (state.sent?.sequence === number) queue.push(childOf(state.sent, 'write', startMs, Date.now()))
  }

  return {
    observer: {
      stepped: ({ state: { height }, nowMs }) => {
        if (height?.round === undefined) return
        if (state.current?.sequence !== height.sequence)
          state.current = {
            sequence: height.sequence,
            root: { traceId: newTraceId(), spanId: newSpanId() },
            startMs: nowMs,
            children: [],
            round: height.round.round,
          }
        state.current.round = height.round.round
        steps.stepped(height, nowMs)
      },
      newHead: (_, nowMs) => {
        steps.newHead(nowMs)
        if (state.current === undefined) return
        send(queue, state.current, nowMs)
        state.sent = state.current
        state.current = undefined
      },
      refused: () => undefined,
      sent: () => undefined,
    },
    traceChain: chain => ({
      ...chain,
      buildBlock: async options => {
        const startMs = Date.now()
        const built = await chain.buildBlock(options)
        executed(built.block.header.number, startMs, built.block.transactions.length)
        return built
      },
      verifyBlock: async (block, options) => {
        const startMs = Date.now()
        const built = await chain.verifyBlock(block, options)
        executed(block.header.number, startMs, block.transactions.length)
        return built
      },
      commitBuilt: async (built, header, durable) => {
        const startMs = Date.now()
        const result = await chain.commitBuilt(built, header, durable)
        written(header.number, startMs)
        return result
      },
    }),
  }
}
