import { type RlpItem, rlpScalar } from '../../rlp/rlp.ts'

/** A scalar below 2^64: numbers, gas, timestamps, nonces. @throws RlpError */
export const rlpUint64 = (item: RlpItem | undefined, what: string): bigint => rlpScalar(item, what, 8)

/** A scalar below 2^256: amounts, prices, signature halves. @throws RlpError */
export const rlpUint256 = (item: RlpItem | undefined, what: string): bigint => rlpScalar(item, what, 32)
