import { NO_AUTHENTICATION } from '../auth/authentication.ts'
import type { InboundLimits } from '../inbound/inboundLimits.ts'
import { createDispatcher, type Dispatcher, TOO_BUSY } from '../rpc/dispatch/dispatcher.ts'
import { errorOutcome, replyText } from '../rpc/dispatch/envelope.ts'
import { pieceText } from '../rpc/json/jsonPieces.ts'
import { METHODS } from '../rpc/methods/methodTable.ts'
import type { RpcContext } from '../rpc/context.ts'
import { type Connection, createConnections } from './connections.ts'
import { createJsonSplitter } from './jsonTexts.ts'

/** One connection of a program on this machine. */
export type IpcPeer = {
  /** The received text as it arrives; no more is read while an answer is being made. */
  readonly chunks: AsyncIterable<string>
  readonly isGone: () => boolean
  /** Resolves when the system has taken the text. */
  readonly send: (text: string) => Promise<void>
  /** Ends the connection at once. */
  readonly close: () => void
}

export type IpcApp = {
  /** Serves a connection until it ends. */
  readonly serve: (peer: IpcPeer) => Promise<void>
}

export type IpcAppOptions = {
  /** Length of a message, as of a request over HTTP. */
  readonly messageLengthMax: number
  readonly inbound: InboundLimits
}

const caller = NO_AUTHENTICATION.identify(null, () => '')

/** The first line of a request of an HTTP client, as curl with --unix-socket sends it. */
const HTTP_REQUEST = /^[A-Z]+ \S+ HTTP\/\d/

const NOT_HTTP =
  'This socket takes JSON-RPC as bare JSON, not over HTTP: write requests to it, for example with nc -U, or use --rpc-http-enabled.\n'

/** What an HTTP client shows to its user, who would otherwise see a parse error for each header. */
const HTTP_REFUSAL = [
  'HTTP/1.1 400 Bad Request',
  'content-type: text/plain',
  `content-length: ${NOT_HTTP.length}`,
  'connection: close',
  '',
  NOT_HTTP,
].join('\r\n')

type Parts = {
  readonly dispatcher: Dispatcher
  readonly inbound: InboundLimits
  readonly connection: Connection
}

/** Answers one message. */
const answer = async (
  { dispatcher, inbound, connection }: Parts,
  text: string,
  peer: IpcPeer,
): Promise<void> => {
  const admitted = inbound.open()
  try {
    connection.setAnswering(true)
    const reply = admitted.claim(2 * text.length)
      ? await dispatcher.handle(text, await caller, { isGone: peer.isGone, claim: admitted.claim })
      : TOO_BUSY
    // A program that does not read its answers is as silent as one that sends nothing.
    connection.setAnswering(false)
    if (reply.body === '') return
    for (const piece of typeof reply.body === 'string' ? [reply.body] : reply.body)
      await peer.send(pieceText(piece))
    await peer.send('\n')
  } finally {
    admitted.release()
  }
}

/** Answers the messages of a chunk; false where the connection ends. */
const answerAll = async (parts: Parts, texts: readonly string[], peer: IpcPeer): Promise<boolean> => {
  for (const text of texts) {
    if (HTTP_REQUEST.test(text)) {
      await peer.send(HTTP_REFUSAL)
      return false
    }
    await answer(parts, text, peer)
  }
  return true
}

/**
 * JSON-RPC over a connection that only programs of this machine open: each object or array is a request, and each answer a
 * line. Requests of a connection are answered one after the other. There are no subscriptions.
 */
export const createIpcApp = (context: RpcContext, { messageLengthMax, inbound }: IpcAppOptions): IpcApp => {
  const dispatcher = createDispatcher(METHODS, context)
  const connections = createConnections(messageLengthMax)
  return {
    serve: async peer => {
      const connection = connections.open(peer.close)
      if (connection === undefined) return
      const split = createJsonSplitter(messageLengthMax)
      try {
        for await (const chunk of peer.chunks) {
          const { texts, heldLength, isTooLong } = split(chunk)
          connection.heard(heldLength)
          if (isTooLong) {
            await peer.send(`${replyText('null', errorOutcome('INVALID_REQUEST'))}\n`)
            return
          }
          if (!(await answerAll({ dispatcher, inbound, connection }, texts, peer))) return
        }
      } finally {
        connection.ended()
      }
    },
  }
}
