import { concatBytes, equalBytes } from '../../core/bytes/bytes.ts'
import { joinRlpList } from '../../core/rlp/list.ts'
import { rawItems, rawString } from '../../core/rlp/rawItem.ts'
import { encodeRlp, RlpError } from '../../core/rlp/rlp.ts'
import { blockMessageParts, decodeBlockMessage } from '../../p2p/blocks/blockMessages.ts'
import { decodeRangeRequest, encodeRangeRequest } from '../../p2p/blocks/rangeRequest.ts'
import { NetworkError } from '../../p2p/error.ts'
import { encodeBatch, readBatch } from '../../p2p/gossip/transactionBatch.ts'
import { decodeAnswer, encodeAnswer } from '../../p2p/peers/peerExchange.ts'
import {
  decodeStatusMessage,
  encodeStatusMessage,
  type StatusMessage,
} from '../../p2p/peers/statusMessage.ts'
import { createFrameDecoder, encodeFrame } from '../../p2p/transport/frames.ts'
import { decodeWindowUpdate, encodeWindowUpdate } from '../../p2p/transport/yamuxFrames.ts'
import type { Codec, Exception } from './codec.ts'
import { ADDRESS, BLOCK_BYTES, HASH, SEALS, TRANSACTIONS } from './samples.ts'

const ENODE = `enode://${'ab'.repeat(64)}@127.0.0.1:30303`

const STATUSES: readonly StatusMessage[] = [
  {
    kind: 'status',
    status: {
      networkId: 1337n,
      genesisHash: HASH,
      configuration: { chainId: '1337', period: '' },
      headNumber: 0n,
      headHash: HASH,
      client: 'Quorate',
      neighbours: [ADDRESS],
      features: ['records/1'],
      statement: { madeAtMs: 300, signature: SEALS[0] as Uint8Array },
      historyStart: 5n,
    },
    host: '127.0.0.1',
    port: 30303,
    instance: '0011223344556677',
  },
  { kind: 'update', headNumber: 300n, headHash: HASH, neighbours: [ADDRESS], historyStart: 5n, timeMs: 300 },
  { kind: 'goodbye', reason: 'full', refused: true, enodes: [ENODE] },
  { kind: 'alive', timeMs: 300 },
]

const STATEMENT = 10

/** The items of a status or of an update that are known here; later releases may send more, and statements of other versions. */
const knownItems = (bytes: Uint8Array, written: Uint8Array): readonly Uint8Array[] => {
  const count = rawItems(written.subarray(1), 'it', 0, 64).length
  return rawItems(bytes.subarray(1), 'it', 0, 64).slice(0, count)
}

const LATER_RELEASES: Exception = {
  reason:
    'items of later releases, and the shorter forms and other flags of earlier ones, must not part a network that is upgraded node by node; a status is bounded by STATUS_BYTES_MAX, kept as its fields and never sent on',
  allows: (bytes, written) => {
    if (bytes[0] !== written[0]) return false
    // A goodbye is for people, and nothing of a keep-alive but its time is kept.
    if (bytes[0] === 2 || bytes[0] === 3) return true
    const own = rawItems(written.subarray(1), 'it', 0, 64)
    const known = knownItems(bytes, written)
    const isStatement = (index: number): boolean => bytes[0] === 0 && index === STATEMENT
    return known.every((item, index) => isStatement(index) || equalBytes(item, own[index] as Uint8Array))
  },
}

const withSaltOf = (bytes: Uint8Array, batch: Uint8Array): Uint8Array => {
  const salt = rawString(rawItems(bytes, 'it', 2)[0], 'it')
  return joinRlpList([encodeRlp(salt), rawItems(batch, 'it', 2)[1] as Uint8Array])
}

export const PEER_CODECS: readonly Codec[] = [
  ...STATUSES.map(
    (status): Codec => ({
      name: `${status.kind} of the status protocol`,
      files: ['p2p/peers/statusMessage.ts', 'p2p/validatorStatement.ts'],
      samples: [encodeStatusMessage(status)],
      reencode: bytes => encodeStatusMessage(decodeStatusMessage(bytes)),
      errors: [NetworkError, RlpError],
      exception: LATER_RELEASES,
    }),
  ),
  {
    name: 'answer with enodes',
    files: ['p2p/peers/peerExchange.ts'],
    samples: [encodeAnswer([ENODE, ENODE])],
    reencode: bytes => encodeAnswer(decodeAnswer(bytes)),
    errors: [NetworkError, RlpError],
    exception: {
      reason:
        'what is no enode of this release is skipped, also when it is not UTF-8; enodes are kept as their parts',
      allows: (bytes, written) =>
        rawItems(bytes, 'it', 0, 64).length === rawItems(written, 'it', 0, 64).length,
    },
  },
  {
    name: 'batch of transactions',
    files: ['p2p/gossip/transactionBatch.ts'],
    samples: [encodeBatch(TRANSACTIONS.map(({ encoded }) => encoded))],
    reencode: bytes => withSaltOf(bytes, encodeBatch(readBatch(bytes))),
    errors: [NetworkError, RlpError],
  },
  {
    name: 'message of a block',
    files: ['p2p/blocks/blockMessages.ts'],
    samples: (
      [
        { kind: 'announcement', hash: HASH, number: 300n },
        { kind: 'request', hash: HASH },
        { kind: 'block', hash: HASH, block: BLOCK_BYTES[0] as Uint8Array },
      ] as const
    ).map(message => concatBytes(...blockMessageParts(message))),
    reencode: bytes => concatBytes(...blockMessageParts(decodeBlockMessage(bytes))),
    errors: [NetworkError],
  },
  {
    name: 'frame',
    files: ['p2p/transport/frames.ts'],
    samples: [encodeFrame(HASH), encodeFrame()],
    reencode: bytes => {
      const decoder = createFrameDecoder(HASH.length)
      decoder.push(bytes)
      const frame = decoder.next()
      if (frame === undefined || !decoder.isEmpty)
        throw new NetworkError('BAD_MESSAGE', 'not one whole frame')
      return encodeFrame(frame)
    },
    errors: [NetworkError],
  },
  {
    name: 'request for a range',
    files: ['p2p/blocks/rangeRequest.ts'],
    samples: [encodeRangeRequest({ from: 300n, count: 5 })],
    reencode: bytes => encodeRangeRequest(decodeRangeRequest(bytes)),
    errors: [NetworkError],
  },
  {
    name: 'window update of yamux',
    files: ['p2p/transport/yamuxFrames.ts'],
    samples: [encodeWindowUpdate(5, 300)],
    reencode: bytes => {
      const update = decodeWindowUpdate(bytes)
      if (update === undefined) throw new NetworkError('BAD_MESSAGE', 'another frame')
      return encodeWindowUpdate(update.streamId, update.bytes)
    },
    errors: [NetworkError],
    exception: {
      reason: 'the flags are of the library that reads the frame, too; nothing of it is kept',
      allows: (bytes, written) => bytes.length === written.length,
    },
  },
]
