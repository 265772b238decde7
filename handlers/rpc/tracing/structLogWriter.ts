import { toHex } from '../../../core/bytes/hex.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { JsonPieces, KeepBytes } from '../json/jsonPieces.ts'
import { type AsciiBuffer, createAsciiBuffer, createJsonWriter } from '../json/jsonWriter.ts'
import type { OpenStep } from './structLogs.ts'

const WORD = 32

/**
 * Writes the JSON of struct logs. The cost of a step is known last but precedes its optional parts, so a separate buffer holds
 * these parts.
 */
export type StructLogWriter = {
  /** Discards the optional parts of the previous step. */
  readonly beginParts: () => void
  /** Returns the number of bytes written. */
  readonly writeStack: (write: (to: AsciiBuffer) => void) => number
  readonly writeMemory: (memory: Uint8Array) => void
  readonly writeStorage: (storage: ReadonlyMap<string, string>) => void
  readonly writeReturnData: (data: Uint8Array) => void
  /** Writes the step with its parts; `end` is JSON that follows them. */
  readonly writeStep: (step: OpenStep, gasCost: number, end: string, isFirst: boolean) => void
  readonly finish: (result: TransactionResult) => JsonPieces
}

const writeHead = (head: AsciiBuffer, step: OpenStep, gasCost: number, isFirst: boolean): void => {
  head.length = 0
  head.ascii(isFirst ? '{"pc":' : ',{"pc":')
  head.integer(step.pc)
  head.ascii(',"op":"')
  head.ascii(step.name)
  head.ascii('","gas":')
  head.integer(step.gas)
  head.ascii(',"gasCost":')
  head.integer(gasCost)
  head.ascii(',"depth":')
  head.integer(step.depth + 1)
  if (step.refund === 0) return
  head.ascii(',"refund":')
  head.integer(step.refund)
}

const writeWords = (parts: AsciiBuffer, memory: Uint8Array): void => {
  parts.ascii(',"memory":[')
  for (let at = 0; at < memory.length; at += WORD) {
    parts.ascii(at === 0 ? '"' : ',"')
    parts.ascii(toHex(memory.subarray(at, at + WORD)))
    parts.ascii('"')
  }
  parts.ascii(']')
}

const writeSlots = (parts: AsciiBuffer, storage: ReadonlyMap<string, string>): void => {
  let before = ',"storage":{"'
  for (const [slot, value] of storage) {
    parts.ascii(`${before}${slot}":"${value}"`)
    before = ',"'
  }
  parts.ascii('}')
}

export const createStructLogWriter = (keep: KeepBytes): StructLogWriter => {
  const json = createJsonWriter(keep)
  const head = createAsciiBuffer()
  const parts = createAsciiBuffer()
  json.ascii('{"structLogs":[')
  return {
    beginParts: () => {
      parts.length = 0
    },
    writeStack: write => {
      const before = parts.length
      parts.ascii(',"stack":[')
      write(parts)
      parts.ascii(']')
      return parts.length - before
    },
    writeMemory: memory => writeWords(parts, memory),
    writeStorage: storage => writeSlots(parts, storage),
    writeReturnData: data => parts.ascii(`,"returnData":"${toHex(data)}"`),
    writeStep: (step, gasCost, end, isFirst) => {
      writeHead(head, step, gasCost, isFirst)
      head.append(parts.bytes, parts.length)
      head.ascii(end)
      head.ascii('}')
      json.append(head)
    },
    finish: ({ gasUsed, success, output }) => {
      json.ascii(`],"gas":${gasUsed},"failed":${!success},"returnValue":"${toHex(output)}"}`)
      return json.finish()
    },
  }
}
