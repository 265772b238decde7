import type { Address } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { recoverAddress } from '../../../core/crypto/crypto.ts'
import { SECP256K1_ORDER } from '../../../core/crypto/recovery.ts'

/** One signature to recover: the 32-byte hash that was signed, and the signature's values as a transaction has them. */
export type Recovery = {
  readonly hash: Uint8Array
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** Bytes of a signature and of an answer in the flat buffers that are transferred between threads. */
const SIGNATURE_LENGTH = 97
const ANSWER_LENGTH = 21

/** An invalid parity byte, for signatures whose values are out of range. */
const NO_PARITY = 0xff

const isInRange = ({ yParity, r, s }: Recovery): boolean =>
  (yParity === 0 || yParity === 1) && r > 0n && r < SECP256K1_ORDER && s > 0n && s < SECP256K1_ORDER

/** hash || r || s || parity of each. */
export const encodeRecoveries = (recoveries: readonly Recovery[]): Uint8Array<ArrayBuffer> => {
  const encoded = new Uint8Array(recoveries.length * SIGNATURE_LENGTH)
  recoveries.forEach((recovery, index) => {
    const at = index * SIGNATURE_LENGTH
    if (!isInRange(recovery)) {
      encoded[at + 96] = NO_PARITY
      return
    }
    encoded.set(recovery.hash, at)
    encoded.set(bigintToFixedBytes(recovery.r, 32), at + 32)
    encoded.set(bigintToFixedBytes(recovery.s, 32), at + 64)
    encoded[at + 96] = recovery.yParity
  })
  return encoded
}

/** Recovers each encoded signature: a byte that is 1 where there is a signer, then its address. */
export const recoverEncoded = (encoded: Uint8Array): Uint8Array<ArrayBuffer> => {
  const count = encoded.length / SIGNATURE_LENGTH
  const answers = new Uint8Array(count * ANSWER_LENGTH)
  for (let index = 0; index < count; index++) {
    const item = encoded.subarray(index * SIGNATURE_LENGTH, (index + 1) * SIGNATURE_LENGTH)
    const signature = { r: item.subarray(32, 64), s: item.subarray(64, 96), yParity: item[96] as number }
    const address = recoverAddress(item.subarray(0, 32), signature)
    if (address === undefined) continue
    answers[index * ANSWER_LENGTH] = 1
    answers.set(address, index * ANSWER_LENGTH + 1)
  }
  return answers
}

export const decodeAnswers = (answers: Uint8Array): (Address | undefined)[] =>
  Array.from({ length: answers.length / ANSWER_LENGTH }, (_, index) => {
    const at = index * ANSWER_LENGTH
    return answers[at] === 1 ? answers.slice(at + 1, at + ANSWER_LENGTH) : undefined
  })
