import { SLOAD, SSTORE } from '../../../core/evm/interpreter/opcodeBytes.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex, toQuantity } from '../../../core/bytes/hex.ts'
import { addressOfWord, bigintToFixedBytes, bytesToBigint } from '../../../core/bytes/integer.ts'
import type { AccessListEntry } from '../../../core/block/transaction.ts'
import { createAddress } from '../../../core/evm/frames/address.ts'
import { precompileAddresses } from '../../../core/evm/precompiles/precompiles.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { TraceStep, Tracer } from '../../../core/evm/interpreter/tracer.ts'
import type { WorldState } from '../../../core/state/world.ts'
import type { RpcContext } from '../context.ts'
import type { Call } from '../method.ts'
import { accessListShape } from '../shapes/transaction.ts'
import { simulateIn } from './block.ts'
import { checkUpfrontCost, prepareCall, type PreparedCall, runCall } from './message.ts'
import { readNextCall } from './nextCall.ts'

/** Maximum number of runs: listing an entry changes gas costs, so the next run may execute other code and access more. */
const ROUNDS_MAX = 10

/** Stack depth of the address that each opcode accesses. */
const ADDRESS_DEPTH: ReadonlyMap<number, number> = new Map([
  [0x31, 0],
  [0x3b, 0],
  [0x3c, 0],
  [0x3f, 0],
  [0xff, 0],
  [0xf1, 1],
  [0xf2, 1],
  [0xf4, 1],
  [0xfa, 1],
])

/** The accounts and slots that a run accessed; an account without slots was only read itself. */
type Accessed = Map<string, { readonly address: Address; readonly slots: Map<bigint, Uint8Array> }>

const access = (accessed: Accessed, address: Address): Map<bigint, Uint8Array> => {
  const key = toBareHex(address)
  const known = accessed.get(key)
  if (known !== undefined) return known.slots
  const slots = new Map<bigint, Uint8Array>()
  accessed.set(key, { address: address.slice(), slots })
  return slots
}

const recorder = (accessed: Accessed, isFree: (address: Address) => boolean): Tracer => ({
  onStep: ({ op, stack, address }: TraceStep) => {
    const depth = ADDRESS_DEPTH.get(op)
    if (depth === undefined && op !== SLOAD && op !== SSTORE) return
    const word = stack().at(-1 - (depth ?? 0))
    if (word === undefined) return
    if (depth === undefined) access(accessed, address).set(word, bigintToFixedBytes(word, 32))
    else {
      const other = addressOfWord(word)
      if (!isFree(other)) access(accessed, other)
    }
  },
})

const listOf = (accessed: Accessed): AccessListEntry[] =>
  [...accessed.values()].map(({ address, slots }) => ({ address, storageKeys: [...slots.values()] }))

const sizeOf = (accessed: Accessed): number =>
  [...accessed.values()].reduce((sum, { slots }) => sum + 1 + slots.size, 0)

type Found = { readonly list: readonly AccessListEntry[]; readonly result: TransactionResult }

/** Repeats the run until it accesses nothing outside the list. */
const findList = (prepared: PreparedCall, world: WorldState): Found => {
  const { message, environment } = prepared
  const { fork } = environment.rules
  const to = message.to ?? createAddress(message.from, world.nonce(message.from))
  // EIP-2929: these are warm without a list.
  const free = new Set([message.from, to, ...precompileAddresses(fork)].map(toBareHex))
  const start = world.snapshot()
  const accessed: Accessed = new Map()
  for (const { address, storageKeys } of message.accessList) {
    const slots = access(accessed, address)
    for (const key of storageKeys) slots.set(bytesToBigint(key), key)
  }
  let list = message.accessList
  for (let round = 0; ; round++) {
    world.revert(start)
    const size = sizeOf(accessed)
    const result = runCall(
      { ...prepared, message: { ...message, accessList: list } },
      world,
      recorder(accessed, address => free.has(toBareHex(address))),
    )
    if (sizeOf(accessed) === size || round === ROUNDS_MAX) return { list, result }
    list = listOf(accessed)
  }
}

/** eth_createAccessList: the accounts and slots that a call accesses, and its gas with them in the list (EIP-2930). */
export const createAccessList = async ({ params }: Call, context: RpcContext): Promise<unknown> => {
  const { call, block, overrides } = await readNextCall(params, context)
  const { list, result } = await simulateIn(context, block, overrides, (world, environment) => {
    const prepared = prepareCall(context, call, environment)
    checkUpfrontCost(prepared, world)
    return findList(prepared, world)
  })
  return {
    accessList: accessListShape(list),
    gasUsed: toQuantity(result.gasUsed),
    ...(result.success ? {} : { error: 'execution reverted' }),
  }
}
