import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { OPCODES } from '../../../core/evm/interpreter/opcodes.ts'
import type { TraceCall, TraceResult, TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import { type ForkName, forkIsAtLeast } from '../../../core/genesis/fork.ts'
import { createAsciiBuffer, createJsonWriter } from '../json/jsonWriter.ts'
import { haltName } from './haltTexts.ts'
import { createStackTexts } from './stackTexts.ts'
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

/** Of one step without what depends on the options. */
const STEP_BYTES = 80
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

/** The step that was told of last, whose cost the next event tells. */
type OpenStep = { name: string; pc: number; gas: number; depth: number; refund: number }

/** The gas that the step took: what it left, or what it would have had to leave where that is known. */
const costAtEnd = ({ gas }: OpenStep, { outcome, halt, gasAtEnd }: TraceResult): number =>
  outcome !== 'halt' || halt === 'Out of gas' || gasAtEnd >= 0 ? gas - gasAtEnd : 0

/** The opcode tracer: a struct log for each instruction, as geth and the execution-apis have it, each written at once. */
export const structLogTracer =
  (options: StructLogOptions): TracerKind =>
  ({ world, environment }, budget) => {
    const { fork } = environment.rules
    const names = Array.from({ length: 256 }, (_, op) => opcodeName(op, fork))
    const json = createJsonWriter(budget.keep)
    const head = createAsciiBuffer()
    /** What stands behind the cost of the open step. */
    const tail = createAsciiBuffer()
    const open: OpenStep = { name: '', pc: 0, gas: 0, depth: 0, refund: 0 }
    let isOpen = false
    let count = 0
    const stacks = createStackTexts()
    /** What each contract has read and written so far, by its address. */
    const storages = new Map<string, Map<string, string>>()

    json.ascii('{"structLogs":[')

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
      (options.limit === 0 || count < options.limit) &&
      (options.opcodes === undefined || options.opcodes.has(name))

    /** Writes the open step, with how it ended where it was the last of its frame. */
    const settle = (gasCost: number, end: string): void => {
      isOpen = false
      head.length = 0
      head.ascii(count === 1 ? '{"pc":' : ',{"pc":')
      head.integer(open.pc)
      head.ascii(',"op":"')
      head.ascii(open.name)
      head.ascii('","gas":')
      head.integer(open.gas)
      head.ascii(',"gasCost":')
      head.integer(gasCost)
      head.ascii(',"depth":')
      head.integer(open.depth + 1)
      if (open.refund !== 0) {
        head.ascii(',"refund":')
        head.integer(open.refund)
      }
      head.append(tail.bytes, tail.length)
      head.ascii(end)
      head.ascii('}')
      json.append(head)
    }

    const settleAt = (depth: number, gasLeft: number): void => {
      if (isOpen && open.depth === depth) settle(open.gas - gasLeft, '')
    }

    const writeMemory = (memory: Uint8Array): void => {
      tail.ascii(',"memory":[')
      for (let at = 0; at < memory.length; at += WORD) {
        tail.ascii(at === 0 ? '"' : ',"')
        tail.ascii(toHex(memory.subarray(at, at + WORD)))
        tail.ascii('"')
      }
      tail.ascii(']')
    }

    const writeStorage = (storage: ReadonlyMap<string, string>): void => {
      let before = ',"storage":{"'
      for (const [slot, value] of storage) {
        tail.ascii(`${before}${slot}":"${value}"`)
        before = ',"'
      }
      tail.ascii('}')
    }

    const onStep = (step: TraceStep): void => {
      settleAt(step.depth, step.gas)
      const name = names[step.op] as string
      // What the contract has read and written counts also where the step itself is not kept.
      const storage = options.disableStorage ? undefined : storageAt(step)
      if (!keeps(name)) {
        stacks.skip(step)
        budget.spend(0)
        return
      }
      const memory = options.enableMemory ? step.memorySize : 0
      const returned = options.enableReturnData ? step.returnData : undefined
      const words = memory / WORD + 2 * (storage?.size ?? 0)
      budget.spend(STEP_BYTES + words * WORD_BYTES + 2 * (returned?.length ?? 0))
      tail.length = 0
      if (!options.disableStack) {
        const size = tail.length
        tail.ascii(',"stack":[')
        stacks.write(step, tail)
        tail.ascii(']')
        budget.spend(tail.length - size)
      }
      if (options.enableMemory) writeMemory(step.memory())
      if (storage !== undefined) writeStorage(storage)
      if (returned !== undefined && returned.length > 0) tail.ascii(`,"returnData":"${toHex(returned)}"`)
      open.name = name
      open.pc = step.pc
      open.gas = step.gas
      open.depth = step.depth
      open.refund = step.refund
      isOpen = true
      count++
    }

    const endOf = ({ outcome, halt, output }: TraceResult): string => {
      if (outcome === 'halt') return `,"error":${JSON.stringify(haltName(halt ?? 'Out of gas'))}`
      return outcome === 'revert' ? `,"reason":"${toHex(output)}"` : ''
    }

    return {
      hooks: {
        onStep,
        onEnter: ({ depth, callerGas }: TraceCall) => {
          if (depth > 0) settleAt(depth - 1, callerGas)
          stacks.enter(depth)
        },
        onExit: result => {
          if (!isOpen || open.depth !== result.depth) return
          if (result.outcome === 'revert') budget.spend(2 * result.output.length)
          settle(costAtEnd(open, result), endOf(result))
        },
      },
      finish: ({ gasUsed, success, output }) => {
        json.ascii(`],"gas":${gasUsed},"failed":${!success},"returnValue":"${toHex(output)}"}`)
        return json.finish()
      },
    }
  }
