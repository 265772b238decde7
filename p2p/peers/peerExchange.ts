import type { Stream } from '@libp2p/interface'
import { decodeRlp, encodeRlp, rlpBytes, rlpList } from '../../core/rlp/rlp.ts'
import { type Enode, EnodeError, parseEnode } from '../transport/enode.ts'
import { NetworkError } from '../error.ts'
import { encodeFrame } from '../transport/frames.ts'
import type { PeerConnection } from './connection.ts'
import { readFrames } from '../transport/readFrames.ts'

/** Enodes of one answer: enough to find the other nodes by asking these. */
const ENODES_MAX = 64
/** An enode with the longest host name has 400 characters. */
const ANSWER_BYTES_MAX = ENODES_MAX * 512
const ANSWER_TIMEOUT_MS = 5000

/** Asks a peer for the enodes of its peers. Invalid ones are skipped: a later release may have other forms. */
export const askForEnodes = async (
  connection: PeerConnection,
  protocol: string,
): Promise<readonly Enode[]> => {
  const stream = await connection.libp2p.newStream(protocol, {
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  })
  try {
    for await (const frame of readFrames(stream, {
      bytesMax: ANSWER_BYTES_MAX,
      silenceMs: ANSWER_TIMEOUT_MS,
    }))
      return enodesOf(decodeAnswer(frame))
    throw new NetworkError('BAD_MESSAGE', 'the stream ended without an answer')
  } finally {
    await stream.close({ signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).catch(error => stream.abort(error))
  }
}

/** Parses enode URLs of other nodes; invalid ones are skipped. */
export const enodesOf = (texts: readonly string[]): readonly Enode[] =>
  texts.flatMap(text => {
    try {
      return [parseEnode(text)]
    } catch (cause) {
      if (cause instanceof EnodeError) return []
      throw cause
    }
  })

/** Texts that are no enode are skipped later: a later release may have other forms. @throws NetworkError, RlpError */
export const decodeAnswer = (frame: Uint8Array): readonly string[] => {
  const items = rlpList(decodeRlp(frame), 'an answer')
  if (items.length > ENODES_MAX) throw new NetworkError('OVERSIZED', `${items.length} enodes in one answer`)
  const decoder = new TextDecoder()
  return items.map(item => decoder.decode(rlpBytes(item, 'an enode')))
}

export const encodeAnswer = (enodes: readonly string[]): Uint8Array => {
  const encoder = new TextEncoder()
  return encodeRlp(enodes.slice(0, ENODES_MAX).map(enode => encoder.encode(enode)))
}

/** Answers with these enodes and ends the stream. */
export const answerWithEnodes = async (stream: Stream, enodes: readonly string[]): Promise<void> => {
  stream.send(encodeFrame(encodeAnswer(enodes)))
  await stream.close({ signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
}
