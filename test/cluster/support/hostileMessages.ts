import { joinRlpList } from '../../../core/rlp/list.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { encodeMessage } from '../../../core/qbft/codec/message.ts'
import { encodeSigned } from '../../../core/qbft/codec/signed.ts'
import { QBFT_CODES, type Signed, type WireMessage } from '../../../core/qbft/message.ts'
import { signPayload } from '../../support/signPayload.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import type { Key } from '../../core/chain/support/keys.ts'
import { prepareBy, signedRoundChangeBy, signer } from '../../core/qbft/codec/messages.ts'
import { testKey } from '../../runtime/genesis.ts'

const NONE = Uint8Array.of(0xc0)

export const hostileKey = (index: number): Key => ({
  privateKey: testKey(index),
  address: addressOfPrivateKey(testKey(index)),
})

const digestOf = (number: number): Uint8Array => {
  const digest = new Uint8Array(32)
  new DataView(digest.buffer).setUint32(0, number)
  return digest
}

const wire = (message: Parameters<typeof encodeMessage>[0]): WireMessage => encodeMessage(message, 'legacy')

/** No two of the same content. */
export const prepareOf = (key: Key, sequence: bigint, round: number, content: number): WireMessage =>
  wire({ kind: 'prepare', signed: prepareBy(key, { sequence, round, digest: digestOf(content) }) })

export const roundChangeOf = (key: Key, sequence: bigint, round: number): WireMessage =>
  wire({
    kind: 'round-change',
    signed: signedRoundChangeBy(key, round, undefined, sequence),
    block: undefined,
    prepares: [],
  })

/** Over and over again, in the order they are in. */
export function* repeated(messages: readonly WireMessage[], count: number): Generator<WireMessage> {
  for (let index = 0; index < count; index++) yield messages[index % messages.length] as WireMessage
}

/** For heights that have not begun, each message another. */
export const futureMessages = (key: Key, head: number, count: number): readonly WireMessage[] =>
  Array.from({ length: count }, (_, index) =>
    prepareOf(key, BigInt(head + 2 + (index % 40)), index % 7, index),
  )

/** Junk of so many bytes where a block stands: items of one byte, which are the dearest to take apart. */
const junkBlock = (bytes: number): Uint8Array =>
  joinRlpList([joinRlpList([new Uint8Array(bytes).fill(0x80)]), NONE, NONE])

export const giantProposal = (key: Key, sequence: bigint, round: number, bytes: number): WireMessage => {
  const payload = joinRlpList([encodeRlp(sequence), encodeRlp(round), junkBlock(bytes)])
  const signed: Signed<unknown> = signPayload(QBFT_CODES.proposal, { sequence, round }, payload, signer(key))
  return {
    code: QBFT_CODES.proposal,
    data: joinRlpList([encodeSigned(signed), joinRlpList([NONE, NONE])]),
  }
}

export const giantRoundChange = (key: Key, sequence: bigint, round: number, bytes: number): WireMessage => {
  const prepared = { round: 0, digest: digestOf(round) }
  const signed = signedRoundChangeBy(key, round, prepared, sequence)
  return {
    code: QBFT_CODES['round-change'],
    data: joinRlpList([encodeSigned(signed), junkBlock(bytes), NONE]),
  }
}

/** One message of each kind that a node drops, all by the validator unless it is what is wrong, for a head that far. */
export const oneOfEach = (key: Key, stranger: Key, head: number): readonly WireMessage[] => {
  const { code, data } = prepareOf(key, BigInt(head + 4), 0, 1)
  const forged = data.slice()
  // Within the signature, of which the last byte says the parity: then nobody, or somebody else, has signed.
  forged.fill(0xff, forged.length - 60, forged.length - 30)
  return [
    { code, data: new Uint8Array(0) },
    { code: 0x16, data },
    { code, data: forged },
    prepareOf(stranger, BigInt(head + 4), 0, 2),
    prepareOf(key, BigInt(head + 1_000_000), 0, 3),
    prepareOf(key, 1n, 0, 4),
    { code, data },
    { code, data },
  ]
}
