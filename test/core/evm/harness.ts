import { type Address, EMPTY_BYTES, padStartBytes, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { fromHex } from '../../../core/bytes/hex.ts'
import { bigintToBytes, bytesToBigint } from '../../../core/bytes/integer.ts'
import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import { callMessage, type Message } from '../../../core/evm/transaction/execute.ts'
import { OPCODES } from '../../../core/evm/interpreter/opcodes.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { Tracer } from '../../../core/evm/interpreter/tracer.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import { forkIsAtLeast } from '../../../core/genesis/fork.ts'
import { transactionGasMaxOf } from '../../../core/genesis/forkSchedule.ts'
import type { StateReader } from '../../../core/state/account.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import type { WorldState } from '../../../core/state/world.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

/** A state in which nothing is. */
export const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => ZERO_HASH,
  code: () => {
    throw new RangeError('there is no code')
  },
}

export const address = (number: number): Address => padStartBytes(bigintToBytes(BigInt(number)), 20)
export const word = (value: bigint | number): Uint8Array => padStartBytes(bigintToBytes(BigInt(value)), 32)

const BYTES: ReadonlyMap<string, number> = new Map(
  OPCODES.flatMap(opcode => (opcode === undefined ? [] : [[opcode.name, opcode.byte] as const])),
)

/** A PUSH of the shortest size for the value; PUSH1 for zero, which every fork has. */
const push = (value: bigint): number[] => {
  const bytes = value === 0n ? Uint8Array.of(0) : bigintToBytes(value)
  return [0x5f + bytes.length, ...bytes]
}

/** An opcode's name or several, a number to be pushed, bytes that stand as they are, or a group of such. */
export type Part = string | number | bigint | Uint8Array | readonly Part[]

const bytesOf = (part: Part): number[] => {
  if (part instanceof Uint8Array) return [...part]
  if (typeof part === 'number' || typeof part === 'bigint') return push(BigInt(part))
  if (typeof part !== 'string') return part.flatMap(bytesOf)
  return part.split(' ').map(name => {
    const byte = BYTES.get(name)
    if (byte === undefined) throw new RangeError(`no opcode ${name}`)
    return byte
  })
}

export const code = (...parts: readonly Part[]): Uint8Array => Uint8Array.from(parts.flatMap(bytesOf))

/** Code that leaves the top of the stack as 32 bytes of output. */
export const returning = (...parts: readonly Part[]): Uint8Array =>
  code(...parts, 0, 'MSTORE', 32, 0, 'RETURN')

/** Initialization code that deploys the code given. */
export const deploying = (deployed: Uint8Array): Uint8Array => {
  const size = deployed.length
  // PUSH2 size, DUP1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 0, RETURN, STOP: twelve bytes.
  return Uint8Array.of(0x61, size >> 8, size & 255, 0x80, 0x60, 12, 0x60, 0, 0x39, 0x60, 0, 0xf3, ...deployed)
}

export const CALLER = address(0xca11e5)
export const CONTRACT = address(0xc0de)
export const BENEFICIARY = address(0xfee)
export const CHAIN_ID = 1337n

/** The rules of a chain that changes no limit of the fork. */
export const rulesOf = (fork: ForkName): BlockEnvironment['rules'] => ({
  fork,
  chainId: CHAIN_ID,
  blob: forkIsAtLeast(fork, 'cancun')
    ? { targetBlobs: 6, maxBlobs: 9, baseFeeUpdateFraction: 5_007_716n }
    : undefined,
  codeSizeMax: 24576,
  stackItemsMax: 1024,
  transactionGasMax: transactionGasMaxOf(fork),
})

export const environmentOf = (fork: ForkName, changes: Partial<BlockEnvironment> = {}): BlockEnvironment => ({
  rules: rulesOf(fork),
  number: 100n,
  timestamp: 1_700_000_000n,
  beneficiary: BENEFICIARY,
  gasLimit: 30_000_000n,
  difficulty: 131072n,
  prevRandao: word(0x5eedn),
  baseFeePerGas: forkIsAtLeast(fork, 'london') ? 7n : undefined,
  blobBaseFee: forkIsAtLeast(fork, 'cancun') ? 3n : undefined,
  blockHash: number => word(number + 1_000_000n),
  ...changes,
})

export type Installed = {
  readonly code?: Uint8Array
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly storage?: Readonly<Record<number, bigint>>
}

/** A world with accounts, by address in hex without prefix or as a number. */
export const worldWith = (accounts: readonly (readonly [Address, Installed])[]): WorldState => {
  const world = createWorldState(NOTHING)
  for (const [at, { code: installed, balance, nonce, storage }] of accounts) {
    world.setBalance(at, balance ?? 0n)
    if (nonce !== undefined) world.setNonce(at, nonce)
    if (installed !== undefined) world.setCode(at, installed)
    for (const [slot, value] of Object.entries(storage ?? {}))
      world.setStorage(at, word(BigInt(slot)), word(value))
  }
  return world
}

export const message = (changes: Partial<Message & { from: Address }> = {}) => ({
  from: CALLER,
  to: CONTRACT,
  gasLimit: 10_000_000n,
  value: 0n,
  data: EMPTY_BYTES,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  ...BARE_FIELDS,
  ...changes,
})

export const TRANSACTION_GAS = 21000n

/** Wei the caller of `run` has. */
export const CALLER_BALANCE = 10n ** 24n

export type Run = {
  readonly result: TransactionResult
  readonly world: WorldState
  /** The first word of the output. */
  readonly value: bigint
  /** What the call itself used, the refund not yet taken off. */
  readonly gas: bigint
}

export type RunOptions = {
  readonly fork?: ForkName
  readonly world?: WorldState
  readonly others?: readonly (readonly [Address, Installed])[]
  readonly installed?: Omit<Installed, 'code'>
  readonly environment?: Partial<BlockEnvironment>
  readonly message?: Partial<Message & { from: Address }>
  readonly tracer?: Tracer
}

/** Runs code as the contract that a message calls. */
export const run = (runtimeCode: Uint8Array, options: RunOptions = {}): Run => {
  const { fork = 'osaka', others = [], installed = {} } = options
  const world =
    options.world ??
    worldWith([
      [CALLER, { balance: CALLER_BALANCE }],
      [CONTRACT, { ...installed, code: runtimeCode }],
      ...others,
    ])
  const result = callMessage(
    environmentOf(fork, options.environment),
    world,
    message(options.message),
    options.tracer,
  )
  return {
    result,
    world,
    value: bytesToBigint(result.output.subarray(0, 32)),
    gas: result.gasUsedMax - TRANSACTION_GAS,
  }
}

export const reasonOf = ({ result }: Run): string | undefined =>
  result.failure?.kind === 'halt' ? result.failure.reason : result.failure?.kind

export { fromHex }
