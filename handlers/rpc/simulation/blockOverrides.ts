import { isObject } from '../../../core/json.ts'
import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { Withdrawal } from '../../../core/block/block.ts'
import { blobBaseFeeAt } from '../../../core/chain/fees/blobFee.ts'
import { forkIsAtLeast } from '../../../core/genesis/fork.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { addressOf, bytesOf, hashOf, integerOf } from '../parameters/values.ts'
import type { SimulationBlock } from './block.ts'

/** Header fields that a simulation replaces; undefined ones are unchanged. */
export type BlockOverrides = {
  readonly number: bigint | undefined
  /** Seconds since 1970. */
  readonly time: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly feeRecipient: Address | undefined
  readonly prevRandao: Hash | undefined
  /** Wei per gas. */
  readonly baseFeePerGas: bigint | undefined
  /** Wei per blob gas. */
  readonly blobBaseFee: bigint | undefined
  readonly difficulty: bigint | undefined
  readonly extraData: Uint8Array | undefined
  readonly parentBeaconBlockRoot: Hash | undefined
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** Replaces the hash of the block and the state root in its header. */
  readonly hash: Hash | undefined
  readonly stateRoot: Hash | undefined
}

/** Maximum number of withdrawals; EIP-4895 allows 16 in a block, a simulation may try more. */
const WITHDRAWALS_MAX = 1024
/** Maximum size of extra data; no rule of any chain allows much more. */
const SIMULATED_EXTRA_DATA_BYTES_MAX = 4096

const malformed = (detail: string): never => {
  throw new RpcError('INVALID_PARAMS', { detail: `block overrides: ${detail}` })
}

const uint64 = (value: unknown): bigint | undefined => integerOf(value, 64)
const uint256 = (value: unknown): bigint | undefined => integerOf(value)
const word = (value: unknown): Hash | undefined => {
  const integer = integerOf(value)
  return hashOf(value) ?? (integer === undefined ? undefined : bigintToFixedBytes(integer, 32))
}
const extraDataOf = (value: unknown): Uint8Array | undefined => {
  const bytes = bytesOf(value)
  return bytes === undefined || bytes.length > SIMULATED_EXTRA_DATA_BYTES_MAX ? undefined : bytes
}

const readWithdrawal = (value: unknown): Withdrawal => {
  const { index, validatorIndex, address, amount } = isObject(value) ? value : {}
  return {
    index: uint64(index) ?? malformed('withdrawals'),
    validatorIndex: uint64(validatorIndex) ?? malformed('withdrawals'),
    address: addressOf(address) ?? malformed('withdrawals'),
    amountGwei: uint64(amount) ?? malformed('withdrawals'),
  }
}

const withdrawalsOf = (value: unknown): readonly Withdrawal[] | undefined =>
  Array.isArray(value) && value.length <= WITHDRAWALS_MAX ? value.map(readWithdrawal) : undefined

/** Reads the names of the execution-apis and those of Besu and geth; ignores others. @throws RpcError */
export const readBlockOverrides = (value: unknown): BlockOverrides | undefined => {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) return malformed('must be an object of header fields')
  const member = <T>(read: (value: unknown) => T | undefined, ...names: readonly string[]): T | undefined => {
    for (const name of names) {
      const given = value[name] ?? undefined
      if (given !== undefined) return read(given) ?? malformed(name)
    }
    return undefined
  }
  return {
    number: member(uint64, 'number'),
    time: member(uint64, 'time'),
    gasLimit: member(uint64, 'gasLimit'),
    feeRecipient: member(addressOf, 'feeRecipient', 'coinbase'),
    prevRandao: member(word, 'prevRandao', 'mixHash', 'random'),
    baseFeePerGas: member(uint256, 'baseFeePerGas', 'baseFee'),
    blobBaseFee: member(uint256, 'blobBaseFee'),
    difficulty: member(uint256, 'difficulty'),
    extraData: member(extraDataOf, 'extraData'),
    parentBeaconBlockRoot: member(hashOf, 'parentBeaconBlockRoot', 'beaconRoot'),
    withdrawals: member(withdrawalsOf, 'withdrawals'),
    hash: member(hashOf, 'hash'),
    stateRoot: member(hashOf, 'stateRoot'),
  }
}

/**
 * The block of a single call under the overrides: number and time also select the rules. Overrides that no call can
 * observe, such as withdrawals, are refused. @throws RpcError
 */
export const underBlockOverrides = (
  { chain }: RpcContext,
  block: SimulationBlock,
  overrides: BlockOverrides | undefined,
): SimulationBlock => {
  if (overrides === undefined) return block
  if (overrides.withdrawals !== undefined || overrides.parentBeaconBlockRoot !== undefined)
    return malformed('withdrawals and parentBeaconBlockRoot are only valid in eth_simulateV1')
  const { configuration } = chain
  const { header } = block
  const number = overrides.number ?? header.number
  const timestamp = overrides.time ?? header.timestamp
  const rules = rulesAt(configuration, number, timestamp, header.difficulty)
  const hasFee = forkIsAtLeast(rules.fork, 'london')
  return {
    ...block,
    rules,
    seen: {
      number,
      timestamp,
      rules,
      blobBaseFee: overrides.blobBaseFee ?? blobBaseFeeAt(configuration, rules, header.excessBlobGas),
      baseFeePerGas: hasFee ? (overrides.baseFeePerGas ?? header.baseFeePerGas ?? 0n) : undefined,
      ...(overrides.gasLimit === undefined ? {} : { gasLimit: overrides.gasLimit }),
      ...(overrides.feeRecipient === undefined ? {} : { beneficiary: overrides.feeRecipient }),
      ...(overrides.prevRandao === undefined ? {} : { prevRandao: overrides.prevRandao }),
      ...(overrides.difficulty === undefined ? {} : { difficulty: overrides.difficulty }),
    },
  }
}
