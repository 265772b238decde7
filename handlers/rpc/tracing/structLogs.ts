import { toBareHex, toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { OPCODES } from '../../../core/evm/opcodes.ts'
import type { TraceCall, TraceResult, TraceStep } from '../../../core/evm/tracer.ts'
import { type ForkName, forkIsAtLeast } from '../../../core/genesis/fork.ts'
import type { TracerKind } from './traced.ts'

/** What the opcode tracer keeps of each step; names as in geth's and Besu's options. */
export type StructLogOptions = {
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableMemory: boolean
  readonly enableReturnData: boolean
  /** The most steps that are kept, 0 for no limit but the answer's. */
  readonly limit: number
  /** Names of the only opcodes whose steps are kept, undefined for all. */
  readonly opcodes: ReadonlySet<string> | undefined
}

type StructLog = {
  readonly pc: number
  readonly op: string
  readonly gas: number
  gasCost: number
  readonly depth: number
  readonly refund?: number
  readonly stack?: readonly string[]
  readonly memory?: readonly string[]
  readonly storage?: Readonly<Record<string, string>>
  readonly returnData?: string
  reason?: string
  error?: string
}

/** Of one step without what depends on the options, and of each entry besides its digits. */
const STEP_BYTES = 80
const ENTRY_BYTES = 6
const WORD = 32
const WORD_BYTES = 70

const SLOAD = 0x54
const SSTORE = 0x55
const PREVRANDAO = 0x44

/** As the opcode is called in that fork; those it does not know are all INVALID. */
export const opcodeName = (op: number, fork: ForkName): string => {
  const opcode = OPCODES[op]
  if (opcode === undefined || !forkIsAtLeast(fork, opcode.since)) return 'INVALID'
  return op === PREVRANDAO && !forkIsAtLeast(fork, 'paris') ? 'DIFFICULTY' : opcode.name
}

/** Most items are small; each text of those is there once, however many steps show it. */
const SMALL: readonly string[] = Array.from({ length: 1024 }, (_, item) => toQuantity(item))

const itemText = (item: bigint): string =>
  item < SMALL.length ? (SMALL[Number(item)] as string) : toQuantity(item)

const stackOf = (step: TraceStep): string[] => {
  const items: string[] = []
  for (let i = step.stackSize - 1; i >= 0; i--) items.push(itemText(step.peek(i)))
  return items
}

const wordsOf = (memory: Uint8Array): string[] => {
  const words: string[] = []
  for (let at = 0; at < memory.length; at += WORD) words.push(toHex(memory.subarray(at, at + WORD)))
  return words
}

/** The gas that the step took: what it left, or what it would have had to leave where that is known. */
const costAtEnd = (log: StructLog, { outcome, halt, gasAtEnd }: TraceResult): number =>
  outcome !== 'halt' || halt === 'Out of gas' || gasAtEnd >= 0 ? log.gas - gasAtEnd : 0

/** The opcode tracer: a struct log for each instruction, as geth and the execution-apis have it. */
export const structLogTracer =
  (options: StructLogOptions): TracerKind =>
  ({ world, environment }, budget) => {
    const { fork } = environment.rules
    const names = Array.from({ length: 256 }, (_, op) => opcodeName(op, fork))
    const logs: StructLog[] = []
    /** By depth: the step whose cost is not known yet. */
    const open: (StructLog | undefined)[] = []
    /** What each contract has read and written so far, by its address. */
    const storages = new Map<string, Map<string, string>>()

    /** Notes what SLOAD and SSTORE are about to read and write; gives all that is known of the contract then. */
    const storageAt = (step: TraceStep): ReadonlyMap<string, string> | undefined => {
      const needed = step.op === SLOAD ? 1 : 2
      if ((step.op !== SLOAD && step.op !== SSTORE) || step.stackSize < needed) return undefined
      const slot = bigintToFixedBytes(step.peek(0), WORD)
      const value =
        step.op === SLOAD ? world.storage(step.address, slot) : bigintToFixedBytes(step.peek(1), WORD)
      const key = toBareHex(step.address)
      const storage = storages.get(key) ?? new Map<string, string>()
      storages.set(key, storage)
      return storage.set(toHex(slot), toHex(value))
    }

    const keeps = (name: string): boolean =>
      (options.limit === 0 || logs.length < options.limit) &&
      (options.opcodes === undefined || options.opcodes.has(name))

    const settle = (depth: number, gasLeft: number): void => {
      const log = open[depth]
      if (log !== undefined) log.gasCost = log.gas - gasLeft
      open[depth] = undefined
    }

    const onStep = (step: TraceStep): void => {
      settle(step.depth, step.gas)
      const name = names[step.op] as string
      // What the contract has read and written counts also where the step itself is not kept.
      const storage = options.disableStorage ? undefined : storageAt(step)
      if (!keeps(name)) {
        budget.spend(0)
        return
      }
      const memory = options.enableMemory ? step.memorySize : 0
      const returned = options.enableReturnData ? step.returnData : undefined
      const words = memory / WORD + 2 * (storage?.size ?? 0)
      budget.spend(STEP_BYTES + words * WORD_BYTES + 2 * (returned?.length ?? 0))
      const stack = options.disableStack ? undefined : stackOf(step)
      if (stack !== undefined) budget.spend(stack.reduce((sum, item) => sum + item.length + ENTRY_BYTES, 0))
      const log: StructLog = {
        pc: step.pc,
        op: name,
        gas: step.gas,
        gasCost: 0,
        depth: step.depth + 1,
        ...(step.refund === 0 ? {} : { refund: step.refund }),
        ...(stack === undefined ? {} : { stack }),
        ...(options.enableMemory ? { memory: wordsOf(step.memory()) } : {}),
        ...(storage === undefined ? {} : { storage: Object.fromEntries(storage) }),
        ...(returned === undefined || returned.length === 0 ? {} : { returnData: toHex(returned) }),
      }
      logs.push(log)
      open[step.depth] = log
    }

    const onExit = (result: TraceResult): void => {
      const log = open[result.depth]
      open[result.depth] = undefined
      if (log === undefined) return
      log.gasCost = costAtEnd(log, result)
      if (result.outcome === 'halt') log.error = result.halt ?? 'Out of gas'
      else if (result.outcome === 'revert') log.reason = toHex(result.output)
    }

    return {
      hooks: {
        onStep,
        onEnter: ({ depth, callerGas }: TraceCall) => {
          if (depth > 0) settle(depth - 1, callerGas)
        },
        onExit,
      },
      finish: ({ gasUsed, success, output }) => ({
        gas: Number(gasUsed),
        failed: !success,
        returnValue: toHex(output),
        structLogs: logs,
      }),
    }
  }
