import { concatBytes, type Hash } from '../../core/bytes/bytes.ts'
import { NetworkError } from '../error.ts'

/** Largest RLP of a block: the limit of a proposal. From Osaka on blocks have at most 8 MiB (EIP-7934). */
export const SENT_BLOCK_BYTES_MAX = 16 * 1024 * 1024

const CODES = { announcement: 0, request: 1, block: 2 } as const
type Kind = keyof typeof CODES

/** [code][hash], followed by the number in 8 bytes in an announcement, by the block in an answer. */
const PREFIX_BYTES = 33
const NUMBER_BYTES = 8

export const BLOCK_MESSAGE_BYTES_MAX: number = PREFIX_BYTES + SENT_BLOCK_BYTES_MAX

export type BlockMessage =
  | { readonly kind: 'announcement'; readonly hash: Hash; readonly number: bigint }
  | { readonly kind: 'request'; readonly hash: Hash }
  | { readonly kind: 'block'; readonly hash: Hash; readonly block: Uint8Array }

/** The parts of a message: a block is not copied. */
export const blockMessageParts = (message: BlockMessage): readonly Uint8Array[] => {
  const prefix = concatBytes(Uint8Array.of(CODES[message.kind]), message.hash)
  if (message.kind === 'request') return [prefix]
  if (message.kind === 'block') return [prefix, message.block]
  const number = new Uint8Array(NUMBER_BYTES)
  new DataView(number.buffer).setBigUint64(0, message.number)
  return [prefix, number]
}

/** Decodes a message; its hash and block are views of the frame. @throws NetworkError `BAD_MESSAGE` */
export const decodeBlockMessage = (frame: Uint8Array): BlockMessage => {
  if (frame.length < PREFIX_BYTES)
    throw new NetworkError('BAD_MESSAGE', `a block message of ${frame.length} bytes`)
  const hash = frame.subarray(1, PREFIX_BYTES)
  const rest = frame.subarray(PREFIX_BYTES)
  const kind = (Object.keys(CODES) as Kind[]).find(name => CODES[name] === frame[0])
  if (kind === undefined) throw new NetworkError('BAD_MESSAGE', `no block message has code ${frame[0]}`)
  if (kind === 'request') {
    if (rest.length > 0)
      throw new NetworkError('BAD_MESSAGE', `a request for a block with ${rest.length} bytes after it`)
    return { kind, hash }
  }
  if (kind === 'block') return { kind, hash, block: rest }
  if (rest.length !== NUMBER_BYTES)
    throw new NetworkError('BAD_MESSAGE', 'a block announcement without a number')
  return { kind, hash, number: new DataView(rest.buffer, rest.byteOffset, NUMBER_BYTES).getBigUint64(0) }
}
