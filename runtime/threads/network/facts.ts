import type { Address } from '../../../core/bytes/bytes.ts'
import type { PeerStatus } from '../../../p2p/network.ts'
import { ownBytes } from './packed.ts'
import type { Facts, ToNetwork } from './protocol.ts'

/** Validators change with blocks, of which the network is told; with catching up and with levels of the log within this. */
const LOOK_INTERVAL_MS = 1_000

export type FactTeller = {
  now(): Facts
  start(post: (message: ToNetwork) => void): void
  /** Sends them; with `peers` the other nodes are told, too. */
  tell(peers: boolean): void
  stop(): void
}

/** Keeps the thread up to date with what changes of the own node. */
export const createFactTeller = (of: {
  readonly status: () => PeerStatus
  readonly validators: () => readonly Address[] | undefined
  readonly isDebug: () => boolean
}): FactTeller => {
  let post: ((message: ToNetwork) => void) | undefined
  let told: { readonly validators: readonly Address[] | undefined; readonly debug: boolean } | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  const now = (): Facts => {
    const { headNumber, headHash } = of.status()
    return {
      headNumber,
      headHash: ownBytes(headHash),
      validators: of.validators()?.map(ownBytes),
      debug: of.isDebug(),
    }
  }
  const tell = (peers: boolean): void => {
    const facts = now()
    told = { validators: of.validators(), debug: facts.debug }
    post?.({ kind: 'facts', facts, tell: peers })
  }
  const look = (): void => {
    if (of.validators() !== told?.validators || of.isDebug() !== told?.debug) tell(false)
  }

  return {
    now,
    tell,
    start: to => {
      post = to
      tell(false)
      timer = setInterval(look, LOOK_INTERVAL_MS)
      timer.unref()
    },
    stop: () => {
      clearInterval(timer)
      post = undefined
    },
  }
}
