import { toHex } from '../../core/bytes/hex.ts'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { sign } from '../../core/crypto/crypto.ts'
import { encodePreparePayload } from '../../core/qbft/codec/prepare.ts'
import { decodeMessage, encodeMessage } from '../../core/qbft/codec/message.ts'
import { proposalDigest } from '../../core/qbft/codec/roundOfBlock.ts'
import { encodeRoundChangePayload } from '../../core/qbft/codec/roundChange.ts'
import { type Dialect, QBFT_CODES, type QbftMessage, type RoundIdentifier } from '../../core/qbft/message.ts'
import { EMPTY_LIST } from '../../core/rlp/list.ts'
import { agreeOn, type EthVersion } from '../../p2p/devp2p/base/capabilities.ts'
import { BASE_IDS, HELLO, PING, PONG } from '../../p2p/devp2p/base/messages.ts'
import { ETH } from '../../p2p/devp2p/ethCodes.ts'
import { decodeHeadersQuery, encodeWithId, openWithId } from '../../p2p/devp2p/eth/requests.ts'
import type { Heard, ScriptedPeer } from '../p2p/devp2p/scriptedPeer.ts'
import type { RecordedKind } from '../p2p/devp2p/transcripts/transcript.ts'
import { signPayload } from '../support/signPayload.ts'

/** Messages of one kind that are kept; of consensus messages, those of one shape. */
const KEPT = 3

const KINDS: readonly RecordedKind[] = [
  'status',
  'newBlockHashes',
  'transactions',
  'getBlockHeaders',
  'blockHeaders',
  'blockBodies',
  'newBlock',
  'newPooledTransactionHashes',
  'pooledTransactions',
  'receipts',
  'blockRangeUpdate',
]

const kindOfEth = (code: number): RecordedKind | undefined =>
  KINDS.find(kind => ETH[kind as keyof typeof ETH] === code)

/** Messages differ by what justifies them. */
const shapeOf = (message: QbftMessage): string => {
  const { round } = message.signed.payload
  const prepares = 'prepares' in message ? message.prepares.length : 0
  return `${message.kind} ${round > 0 ? 'later' : 'first'} ${prepares > 0 ? 'prepared' : ''}`
}

/** The validator that records: what it has heard, and what it says for the others to continue. */
export type Recorder = {
  readonly frames: Readonly<Partial<Record<RecordedKind, readonly string[]>>>
  /** From now on it prepares every proposal and joins every round change, and never commits: rounds end prepared. */
  helpPreparing: boolean
  /** Handles what the peer has said since the last call. */
  readonly update: () => void
  /** True once a block that was prepared in one round is proposed in the next, as far as was heard. */
  readonly hasPrepared: () => boolean
}

export type RecorderOptions = {
  readonly peer: ScriptedPeer
  readonly eth: EthVersion
  readonly privateKey: Uint8Array
  readonly dialect: Dialect
  /** Its whole chain. */
  readonly genesisHeader: Uint8Array
}

export const createRecorder = ({
  peer,
  eth,
  privateKey,
  dialect,
  genesisHeader,
}: RecorderOptions): Recorder => {
  const offset =
    agreeOn([
      { name: 'eth', version: eth },
      { name: 'istanbul', version: 100 },
    ])?.istanbul?.offset ?? 0
  const frames: Partial<Record<RecordedKind, string[]>> = {}
  const shapes = new Map<string, number>()
  const said = new Set<string>()
  let handled = 0

  const keep = (kind: RecordedKind, payload: Uint8Array, shape: string = kind): void => {
    const kept = shapes.get(shape) ?? 0
    if (kept >= KEPT) return
    shapes.set(shape, kept + 1)
    frames[kind] = [...(frames[kind] ?? []), toHex(payload)]
  }

  const say = (message: QbftMessage, { sequence, round }: RoundIdentifier): void => {
    const name = `${message.kind} ${sequence} ${round}`
    if (said.has(name)) return
    said.add(name)
    const { code, data } = encodeMessage(message, dialect)
    peer.send(offset + code, data)
  }

  const signer = (digest: Uint8Array) => sealOfSignature(sign(digest, privateKey))

  const help = (heard: QbftMessage): void => {
    const { sequence, round } = heard.signed.payload
    if (heard.kind === 'proposal') {
      const payload = { sequence, round, digest: proposalDigest(heard.signed.payload.block) }
      const signed = signPayload(QBFT_CODES.prepare, payload, encodePreparePayload(payload), signer)
      say({ kind: 'prepare', signed }, payload)
    } else if (heard.kind === 'round-change') {
      const payload = { sequence, round, prepared: undefined }
      const signed = signPayload(
        QBFT_CODES['round-change'],
        payload,
        encodeRoundChangePayload(payload),
        signer,
      )
      say({ kind: 'round-change', signed, block: undefined, prepares: [] }, payload)
    }
  }

  /** The other side asks for the head that was announced to it; of other blocks nothing is known. */
  const answer = (code: number, payload: Uint8Array): void => {
    const { id, content } = openWithId(payload)
    if (code !== ETH.getBlockHeaders) return peer.send(BASE_IDS + code + 1, encodeWithId(id, []))
    const { start } = decodeHeadersQuery(content)
    const headers = 'number' in start && start.number > 0n ? [] : [genesisHeader]
    peer.send(BASE_IDS + code + 1, encodeWithId(id, headers))
  }

  const handle = ({ id, payload }: Heard): void => {
    if (id === HELLO) return keep('hello', payload)
    if (id === PING) return peer.send(PONG, EMPTY_LIST)
    if (id >= offset) {
      const message = decodeMessage(id - offset, payload)
      keep(message.kind, payload, shapeOf(message))
      if (recorder.helpPreparing) help(message)
    } else if (id >= BASE_IDS) {
      const code = id - BASE_IDS
      const kind = kindOfEth(code)
      if (kind !== undefined) keep(kind, payload)
      if (
        [ETH.getBlockHeaders, ETH.getBlockBodies, ETH.getReceipts, ETH.getPooledTransactions].includes(
          code as 3,
        )
      )
        answer(code, payload)
    }
  }

  const recorder: Recorder = {
    frames,
    helpPreparing: false,
    update: () => {
      for (; handled < peer.heard.length; handled++) handle(peer.heard[handled] as Heard)
    },
    hasPrepared: () => shapes.has('proposal later prepared') && shapes.has('round-change later prepared'),
  }
  return recorder
}
