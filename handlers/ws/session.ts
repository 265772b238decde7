import type { Caller } from '../auth/caller.ts'
import type { ConnectionAuthentication } from '../auth/connection.ts'
import type { Admitted, InboundLimits } from '../inbound/inboundLimits.ts'
import type { Dispatcher, Reply } from '../rpc/dispatch/dispatcher.ts'
import { errorOutcome, replyText } from '../rpc/dispatch/envelope.ts'
import { RPC_ERRORS, type RpcErrorName } from '../rpc/dispatch/errors.ts'
import type { SubscriptionHub } from '../rpc/subscriptions/subscriptions.ts'
import { createOutbox } from './outbox.ts'
import { CLOSE_CODES, type Session, type Socket } from './socket.ts'

/** Messages of one connection that are worked on at the same time; each may make a long answer. */
export const IN_WORK_MAX = 16

/** Messages of one connection that wait for their turn, and their characters: a client that sends a thousand at once is served. */
export const WAITING_MAX = 16_384
export const WAITING_LENGTH_MAX = 16 * 1024 * 1024

/** Whoever is cut off has so long to read why. */
export const CUT_GRACE_MS = 5_000

/** How often is looked whether everything before the close was read. */
const LOOK_MS = 25

/** Waiting messages begun in one turn; most are answered at once, and others want a turn too. */
const TURN_MESSAGES = 64

const INTERNAL_ERROR = replyText('null', errorOutcome('INTERNAL_ERROR'))
const NODE_BUSY = replyText('null', errorOutcome('NODE_BUSY'))
const EMPTY_MESSAGE: Reply = { status: 400, body: replyText('null', errorOutcome('INVALID_REQUEST')) }

export type SessionParts = {
  readonly dispatcher: Dispatcher
  readonly hub: SubscriptionHub
  readonly inbound: InboundLimits
  /** The token of the connection; `endSubscriptions` is to be called when it ends. */
  readonly authenticate: (endSubscriptions: () => void) => ConnectionAuthentication
  readonly reportError: (method: string, error: unknown) => void
}

/** A message that waits for its turn or is worked on. */
type Message = { readonly text: string; readonly admitted: Admitted }

export type OpenSession = Session & {
  /** Tells the client why, lets it read for a moment, then closes the connection. */
  end(code: number, reason: string): void
}

/**
 * JSON-RPC on one open connection. Messages are answered as they are finished. What waits for a slow reader is bounded:
 * first no more of its requests are begun, then it is told and cut off.
 */
export const createSession = (socket: Socket, parts: SessionParts): OpenSession => {
  const { dispatcher, hub, inbound, reportError } = parts
  const waiting: Message[] = []
  let waitingLength = 0
  let inWork = 0
  let isGone = false
  let cutTimer: ReturnType<typeof setInterval> | undefined
  let nextTurn: ReturnType<typeof setTimeout> | undefined

  const outbox = createOutbox({
    socket,
    onRoom: () => workOn(),
    onSlow: () => cut('SLOW_READER'),
  })
  const subscriptions = hub.connect(notification => outbox.notify(notification))
  const authentication = parts.authenticate(() => {
    if (subscriptions.size === 0) return
    subscriptions.clear()
    outbox.notify(replyText('null', errorOutcome('SUBSCRIPTIONS_ENDED')))
  })

  /** Nothing more is taken, begun or told. */
  const leave = (): void => {
    isGone = true
    for (const { admitted } of waiting) admitted.release()
    waiting.length = 0
    waitingLength = 0
    subscriptions.clear()
    authentication.close()
    outbox.close()
    clearTimeout(nextTurn)
  }

  /** The handshake waits behind all that is queued, and some runtimes then keep that for ever: it comes when all is read. */
  const closeWhenRead = (code: number, reason: string): void => {
    let leftMs = CUT_GRACE_MS
    const look = (): void => {
      leftMs -= LOOK_MS
      if (socket.bufferedBytes() > 0 && leftMs > 0) return
      clearInterval(cutTimer)
      if (leftMs > 0) socket.close(code, reason)
      else socket.terminate()
    }
    cutTimer = setInterval(look, LOOK_MS)
    look()
  }

  const end = (code: number, reason: string): void => {
    if (isGone) return
    leave()
    closeWhenRead(code, reason)
  }

  const cut = (name: RpcErrorName): void => {
    if (isGone) return
    outbox.farewell(replyText('null', errorOutcome(name)))
    end(CLOSE_CODES.policyViolation, RPC_ERRORS[name].message)
  }

  const handle = ({ text, admitted }: Message, caller: Caller): void | Promise<void> => {
    // It may have gone while its token was looked at: nothing is subscribed to any more then.
    if (isGone) return
    const request = subscriptions.forRequest()
    const finish = ({ body }: Reply): void => {
      if (isGone) return
      if (body !== '') outbox.reply(body)
      request.answered()
    }
    if (text === '') return finish(EMPTY_MESSAGE)
    const reply = dispatcher.handle(text, caller, {
      isGone: () => isGone,
      claim: admitted.claim,
      connection: { subscriptions: request, presentToken: authentication.present },
    })
    return reply instanceof Promise ? reply.then(finish) : finish(reply)
  }

  /** A promise only where the answer takes one. */
  const answer = (message: Message): void | Promise<void> => {
    const caller = authentication.identify()
    return caller instanceof Promise ? caller.then(known => handle(message, known)) : handle(message, caller)
  }

  /** Methods turn what goes wrong in them into answers, so this is a fault of the server itself. */
  const failed = (error: unknown): void => {
    reportError('WebSocket', error)
    if (!isGone) outbox.reply(INTERNAL_ERROR)
  }

  const work = (message: Message): void => {
    const { admitted } = message
    try {
      const answered = answer(message)
      if (!(answered instanceof Promise)) return admitted.release()
      inWork++
      answered.catch(failed).finally(() => {
        admitted.release()
        inWork--
        workOn()
      })
    } catch (error) {
      admitted.release()
      failed(error)
    }
  }

  const isFree = (): boolean => inWork < IN_WORK_MAX && !outbox.isFull()

  const workOn = (): void => {
    if (nextTurn !== undefined) return
    let begun = 0
    while (begun < TURN_MESSAGES && begun < waiting.length && isFree()) {
      const message = waiting[begun++] as Message
      waitingLength -= message.text.length
      work(message)
    }
    waiting.splice(0, begun)
    if (waiting.length > 0 && isFree())
      nextTurn = setTimeout(() => {
        nextTurn = undefined
        workOn()
      }, 0)
  }

  return {
    message: text => {
      if (isGone) return
      const admitted = inbound.open()
      if (!admitted.claim(text.length)) return outbox.reply(NODE_BUSY)
      const message = { text, admitted }
      if (waiting.length === 0 && isFree()) return work(message)
      waiting.push(message)
      waitingLength += text.length
      if (waiting.length > WAITING_MAX || waitingLength > WAITING_LENGTH_MAX) cut('TOO_MANY_WAITING')
    },
    closed: () => {
      leave()
      clearInterval(cutTimer)
    },
    end,
  }
}
