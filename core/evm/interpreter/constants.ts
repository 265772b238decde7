import { PREVRANDAO } from './opcodeBytes.ts'
import type { Address } from '../../bytes/bytes.ts'
import type { BlockEnvironment } from '../transaction/environment.ts'
import { setAddressWord } from '../frames/frame.ts'
import { writeBigint } from './stack.ts'
import { readLimbs } from '../../state/limbs.ts'

/** `Context.constants` has the words of COUNT opcodes from this one on, eight limbs each. */
const FIRST = 0x30
const COUNT = 0x20

const ORIGIN = 0x32
const GASPRICE = 0x3a
const COINBASE = 0x41
const TIMESTAMP = 0x42
const NUMBER = 0x43
const GASLIMIT = 0x45
const CHAINID = 0x46
const BASEFEE = 0x48
const BLOBBASEFEE = 0x4a

const wordOffset = (op: number): number => (op - FIRST) << 3

const constantsByBlock = new WeakMap<BlockEnvironment, Int32Array>()

const blockConstants = (environment: BlockEnvironment, isParis: boolean): Int32Array => {
  const known = constantsByBlock.get(environment)
  if (known !== undefined) return known
  const words = new Int32Array(8 * COUNT)
  const put = (op: number, value: bigint): void => writeBigint(words, wordOffset(op), value)
  setAddressWord(words, wordOffset(COINBASE), environment.beneficiary)
  put(TIMESTAMP, environment.timestamp)
  put(NUMBER, environment.number)
  if (isParis) readLimbs(environment.prevRandao, words, wordOffset(PREVRANDAO))
  else put(PREVRANDAO, environment.difficulty)
  put(GASLIMIT, environment.gasLimit)
  put(CHAINID, environment.rules.chainId)
  put(BASEFEE, environment.baseFeePerGas ?? 0n)
  put(BLOBBASEFEE, environment.blobBaseFee ?? 0n)
  constantsByBlock.set(environment, words)
  return words
}

/**
 * The words that ORIGIN, GASPRICE and the block opcodes push in one transaction. Valid until the next transaction of the
 * block, which reuses the array.
 */
export const transactionConstants = (
  environment: BlockEnvironment,
  isParis: boolean,
  origin: Address,
  gasPrice: bigint,
): Int32Array => {
  const words = blockConstants(environment, isParis)
  setAddressWord(words, wordOffset(ORIGIN), origin)
  writeBigint(words, wordOffset(GASPRICE), gasPrice)
  return words
}
