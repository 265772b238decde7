import type { Address } from '../../../core/bytes/bytes.ts'
import type { PermittedNode } from '../../../p2p/peers/permittedNodes.ts'
import type { OwnStatus } from '../../../p2p/network.ts'
import { ownBytes } from './joinedBytes.ts'
import type { NodeState, ToNetwork } from './protocol.ts'

/** Interval between checks for changes that no new block announces: validators known after a sync, log levels. */
const CHECK_INTERVAL_MS = 1_000

/**
 * Least interval between two states: a message wakes the network worker, and a download imports a block each millisecond. Blocks that
 * consensus makes are further apart.
 */
const SEND_INTERVAL_MS = 20

/** The interval while the head is older than OLD_HEAD_MS: no peer waits for the blocks of a node that catches up. */
const CATCHING_UP_INTERVAL_MS = 250

const OLD_HEAD_MS = 10_000

export type StateUpdates = {
  now(): NodeState
  start(post: (message: ToNetwork) => void): void
  /** Sends the state to the network worker, at once or after the interval; with `peers` it also broadcasts the status. */
  send(peers: boolean): void
  stop(): void
}

const intervalAfter = ({ headTimestamp }: NodeState): number =>
  Date.now() - 1000 * Number(headTimestamp) > OLD_HEAD_MS ? CATCHING_UP_INTERVAL_MS : SEND_INTERVAL_MS

/** Sends the network worker the state of this node whenever it changes. */
export const createStateUpdates = (source: {
  readonly status: () => OwnStatus
  readonly validators: () => readonly Address[] | undefined
  /** A new array when it changed; undefined where all nodes are permitted. */
  readonly permittedNodes: () => readonly PermittedNode[] | undefined
  readonly isDebug: () => boolean
}): StateUpdates => {
  let post: ((message: ToNetwork) => void) | undefined
  let sent:
    | {
        readonly validators: readonly Address[] | undefined
        readonly permittedNodes: readonly PermittedNode[] | undefined
        readonly debug: boolean
      }
    | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  /** Set until the next state may be sent. */
  let pause: ReturnType<typeof setTimeout> | undefined
  /** What is sent after the pause: whether to the peers, too; undefined for nothing. */
  let next: boolean | undefined

  const now = (): NodeState => {
    const { headNumber, headHash, historyStart, headTimestamp } = source.status()
    return {
      headNumber,
      historyStart,
      headHash: ownBytes(headHash),
      headTimestamp,
      validators: source.validators()?.map(ownBytes),
      permittedNodes: source.permittedNodes(),
      debug: source.isDebug(),
    }
  }
  const send = (peers: boolean): void => {
    // The start sends one.
    if (post === undefined) return
    if (pause !== undefined) {
      next = peers || next === true
      return
    }
    const state = now()
    pause = setTimeout(() => {
      pause = undefined
      const waiting = next
      next = undefined
      if (waiting !== undefined) send(waiting)
    }, intervalAfter(state))
    pause.unref()
    sent = { validators: source.validators(), permittedNodes: state.permittedNodes, debug: state.debug }
    post?.({ kind: 'state', state, broadcast: peers })
  }
  const checkForChange = (): void => {
    if (
      source.validators() !== sent?.validators ||
      source.permittedNodes() !== sent?.permittedNodes ||
      source.isDebug() !== sent?.debug
    )
      send(false)
  }

  return {
    now,
    send,
    start: to => {
      post = to
      send(false)
      timer = setInterval(checkForChange, CHECK_INTERVAL_MS)
      timer.unref()
    },
    stop: () => {
      clearInterval(timer)
      clearTimeout(pause)
      post = undefined
    },
  }
}
