import { decoding } from '../../chain/codec/error.ts'
import { rawItems } from '../../rlp/rawItem.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import type { WireMessage } from '../message.ts'
import { decodeRound, decodeSequence, ROUND_MAX } from './field.ts'

/**
 * Codes of our own beside those of istanbul/100 (0x12 to 0x15): a validator that starts asks the others where they are. Nobody signs
 * them, and only nodes that say so in their status are sent any.
 */
export const POSITION_CODES = { request: 0x60, position: 0x61 } as const

/** In a node's status: that it knows these codes. */
export const POSITIONS_FEATURE = 'positions/1'

/** Where a validator is. */
export type Position = {
  /** The height it decides. */
  readonly sequence: bigint
  /** The round it is in, -1 before the first. */
  readonly round: number
}

/** RLP of an empty list, which later versions may fill. */
export const POSITION_REQUEST: WireMessage = { code: POSITION_CODES.request, data: Uint8Array.of(0xc0) }

/** RLP `[sequence, round + 1]`. */
export const encodePosition = ({ sequence, round }: Position): WireMessage => ({
  code: POSITION_CODES.position,
  data: encodeRlp([sequence, Math.min(round + 1, ROUND_MAX)]),
})

/** @throws DecodeError and nothing else */
export const decodePosition = (data: Uint8Array): Position =>
  decoding('INVALID_MESSAGE', 'position', () => {
    const [sequence, next] = rawItems(data, 'position', 2)
    return { sequence: decodeSequence(sequence), round: decodeRound(next) - 1 }
  })
