import type { Address } from '../../bytes/bytes.ts'
import type { BlockEnvironment } from '../transaction/environment.ts'
import { setAddressWord } from '../frames/frame.ts'
import { writeBigint } from './stack.ts'
import { readLimbs } from '../../state/limbs.ts'

/** Words of the opcodes from this one on stand in `Context.constants`, eight limbs each. */
const FIRST = 0x30
const COUNT = 0x20

const ORIGIN = 0x32
const GASPRICE = 0x3a
const COINBASE = 0x41
const TIMESTAMP = 0x42
const NUMBER = 0x43
const PREVRANDAO = 0x44
const GASLIMIT = 0x45
const CHAINID = 0x46
const BASEFEE = 0x48
const BLOBBASEFEE = 0x4a

const placeOf = (op: number): number => (op - FIRST) << 3

const ofBlocks = new WeakMap<BlockEnvironment, Int32Array>()

const blockConstants = (environment: BlockEnvironment, isParis: boolean): Int32Array => {
  const known = ofBlocks.get(environment)
  if (known !== undefined) return known
  const words = new Int32Array(8 * COUNT)
  const put = (op: number, value: bigint): void => writeBigint(words, placeOf(op), value)
  setAddressWord(words, placeOf(COINBASE), environment.beneficiary)
  put(TIMESTAMP, environment.timestamp)
  put(NUMBER, environment.number)
  if (isParis) readLimbs(environment.prevRandao, words, placeOf(PREVRANDAO))
  else put(PREVRANDAO, environment.difficulty)
  put(GASLIMIT, environment.gasLimit)
  put(CHAINID, environment.rules.chainId)
  put(BASEFEE, environment.baseFeePerGas ?? 0n)
  put(BLOBBASEFEE, environment.blobBaseFee ?? 0n)
  ofBlocks.set(environment, words)
  return words
}

/**
 * The words that ORIGIN, GASPRICE and the block opcodes answer with throughout one transaction. They hold until the next
 * transaction of the block, which gets the same array.
 */
export const transactionConstants = (
  environment: BlockEnvironment,
  isParis: boolean,
  origin: Address,
  gasPrice: bigint,
): Int32Array => {
  const words = blockConstants(environment, isParis)
  setAddressWord(words, placeOf(ORIGIN), origin)
  writeBigint(words, placeOf(GASPRICE), gasPrice)
  return words
}
