import { PREVRANDAO } from '../../../core/evm/interpreter/opcodeBytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { OPCODES } from '../../../core/evm/interpreter/opcodes.ts'
import type { TraceCall, TraceResult, TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import { type ForkName, forkIsAtLeast } from '../../../core/genesis/fork.ts'
import type { Budget } from './budget.ts'
import { haltName } from './haltTexts.ts'
import { createStackTexts, type StackTexts } from './stackTexts.ts'
import { createStorageRecord, type StorageRecord } from './storageRecord.ts'
import { createStructLogWriter, type StructLogWriter } from './structLogWriter.ts'
import type { TracerKind } from './traced.ts'

/** The parts of each step that the opcode tracer records; named as in geth's and Besu's options. */
export type StructLogOptions = {
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableMemory: boolean
  readonly enableReturnData: boolean
  /** Maximum number of recorded steps; 0 leaves the limit to the size of the answer. */
  readonly limit: number
  /** Records only the steps of these opcodes; undefined records all. */
  readonly opcodes: ReadonlySet<string> | undefined
}

/** Size of a step without the parts that the options add. */
const STEP_BYTES = 80
const WORD = 32
const WORD_BYTES = 70

/** The opcode's name in that fork; INVALID for one that the fork does not have. */
const opcodeName = (op: number, fork: ForkName): string => {
  const opcode = OPCODES[op]
  if (opcode === undefined || !forkIsAtLeast(fork, opcode.since)) return 'INVALID'
  return op === PREVRANDAO && !forkIsAtLeast(fork, 'paris') ? 'DIFFICULTY' : opcode.name
}

/** The last step seen: its cost is known at the next event. */
export type OpenStep = { name: string; pc: number; gas: number; depth: number; refund: number }

/** Gas that the step cost: the difference of gas before and after it; 0 for a halt after which the gas is unknown. */
const costAtEnd = ({ gas }: OpenStep, { outcome, halt, gasAtEnd }: TraceResult): number =>
  outcome !== 'halt' || halt === 'Out of gas' || gasAtEnd >= 0 ? gas - gasAtEnd : 0

type Trace = {
  readonly options: StructLogOptions
  readonly budget: Budget
  readonly names: readonly string[]
  readonly writer: StructLogWriter
  readonly stacks: StackTexts
  readonly storage: StorageRecord
  readonly open: OpenStep
  isOpen: boolean
  count: number
}

const records = ({ options, count }: Trace, name: string): boolean =>
  (options.limit === 0 || count < options.limit) &&
  (options.opcodes === undefined || options.opcodes.has(name))

const closeStep = (trace: Trace, gasCost: number, end: string): void => {
  trace.isOpen = false
  trace.writer.writeStep(trace.open, gasCost, end, trace.count === 1)
}

const closeStepAt = (trace: Trace, depth: number, gasLeft: number): void => {
  if (trace.isOpen && trace.open.depth === depth) closeStep(trace, trace.open.gas - gasLeft, '')
}

const openStep = (trace: Trace, name: string, { pc, gas, depth, refund }: TraceStep): void => {
  const { open } = trace
  open.name = name
  open.pc = pc
  open.gas = gas
  open.depth = depth
  open.refund = refund
  trace.isOpen = true
  trace.count++
}

/** Writes the optional parts of a step, which follow its cost. */
const writeParts = (
  { options, budget, writer, stacks }: Trace,
  step: TraceStep,
  storage: ReadonlyMap<string, string> | undefined,
): void => {
  const memory = options.enableMemory ? step.memorySize : 0
  const returned = options.enableReturnData ? step.returnData : undefined
  const words = memory / WORD + 2 * (storage?.size ?? 0)
  budget.add(STEP_BYTES + words * WORD_BYTES + 2 * (returned?.length ?? 0))
  writer.beginParts()
  if (!options.disableStack) budget.add(writer.writeStack(tail => stacks.write(step, tail)))
  if (options.enableMemory) writer.writeMemory(step.memory())
  if (storage !== undefined) writer.writeStorage(storage)
  if (returned !== undefined && returned.length > 0) writer.writeReturnData(returned)
}

const onStep = (trace: Trace, step: TraceStep): void => {
  closeStepAt(trace, step.depth, step.gas)
  const name = trace.names[step.op] as string
  // Slots that the contract accesses are recorded even if the step itself is not.
  const storage = trace.options.disableStorage ? undefined : trace.storage.at(step)
  if (!records(trace, name)) {
    trace.stacks.skip(step)
    trace.budget.add(0)
    return
  }
  writeParts(trace, step, storage)
  openStep(trace, name, step)
}

const endOf = ({ outcome, halt, output }: TraceResult): string => {
  if (outcome === 'halt') return `,"error":${JSON.stringify(haltName(halt ?? 'Out of gas'))}`
  return outcome === 'revert' ? `,"reason":"${toHex(output)}"` : ''
}

const onExit = (trace: Trace, result: TraceResult): void => {
  if (!trace.isOpen || trace.open.depth !== result.depth) return
  if (result.outcome === 'revert') trace.budget.add(2 * result.output.length)
  closeStep(trace, costAtEnd(trace.open, result), endOf(result))
}

/** The opcode tracer: writes a struct log for each instruction as it runs, as in geth and the execution-apis. */
export const structLogTracer =
  (options: StructLogOptions): TracerKind =>
  ({ world, environment }, budget) => {
    const { fork } = environment.rules
    const trace: Trace = {
      options,
      budget,
      names: Array.from({ length: 256 }, (_, op) => opcodeName(op, fork)),
      writer: createStructLogWriter(budget.keep),
      stacks: createStackTexts(),
      storage: createStorageRecord(world),
      open: { name: '', pc: 0, gas: 0, depth: 0, refund: 0 },
      isOpen: false,
      count: 0,
    }
    return {
      hooks: {
        onStep: step => onStep(trace, step),
        onEnter: ({ depth, callerGas }: TraceCall) => {
          if (depth > 0) closeStepAt(trace, depth - 1, callerGas)
          trace.stacks.enter(depth)
        },
        onExit: result => onExit(trace, result),
      },
      finish: result => trace.writer.finish(result),
    }
  }
