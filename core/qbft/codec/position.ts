import { equalBytes } from '../../bytes/bytes.ts'
import { withDecodeErrors } from '../../block/codec/error.ts'
import { rawItems } from '../../rlp/rawItem.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import type { WireMessage } from '../message.ts'
import { decodeRound, decodeSequence, ROUND_MAX } from './field.ts'

/**
 * Message codes that only this client has, besides those of istanbul/100 (0x12 to 0x15). A validator that starts uses them
 * to request the height and round of the others. The messages are unsigned, and are only sent to nodes that announce the
 * feature in their status.
 */
export const POSITION_CODES = { request: 0x60, position: 0x61 } as const

/** The feature that a node with these codes announces in its status. */
export const POSITIONS_FEATURE = 'positions/1'

/** The height and round of a validator. */
export type Position = {
  /** The height being decided. */
  readonly sequence: bigint
  /** The current round; -1 before the first, when the validator has signed nothing at the height. */
  readonly round: number
}

/** RLP of an empty list: the answer begins with the receiver's own signed messages. */
export const POSITION_REQUEST: WireMessage = { code: POSITION_CODES.request, data: Uint8Array.of(0xc0) }

/** RLP `[1]`: the position alone, because the other messages may be megabytes. Earlier releases send these, too. */
export const POSITION_ONLY_REQUEST: WireMessage = {
  code: POSITION_CODES.request,
  data: Uint8Array.of(0xc1, 0x01),
}

/** True when the receiver's own signed messages are wanted. @throws DecodeError and nothing else */
export const decodePositionRequest = (data: Uint8Array): boolean =>
  withDecodeErrors('INVALID_MESSAGE', 'position request', () => {
    if (equalBytes(data, POSITION_ONLY_REQUEST.data)) return false
    rawItems(data, 'it', 0)
    return true
  })

/** RLP `[sequence, round + 1]`. */
export const encodePosition = ({ sequence, round }: Position): WireMessage => ({
  code: POSITION_CODES.position,
  data: encodeRlp([sequence, Math.min(round + 1, ROUND_MAX)]),
})

/** @throws DecodeError and nothing else */
export const decodePosition = (data: Uint8Array): Position =>
  withDecodeErrors('INVALID_MESSAGE', 'position', () => {
    const [sequence, next] = rawItems(data, 'position', 2)
    return { sequence: decodeSequence(sequence), round: decodeRound(next) - 1 }
  })
