import { equalBytes } from '../../../../core/bytes/bytes.ts'
import { fromHex } from '../../../../core/bytes/hex.ts'
import type { Tracer } from '../../../../core/evm/interpreter/tracer.ts'
import { decodeConsoleCall } from './decode.ts'
import { formatConsoleLine } from './format.ts'

/** Where the libraries of Hardhat and Foundry send what `console.log` prints: the ASCII text `console.log`. */
const CONSOLE_ADDRESS = fromHex('000000000000000000636f6e736f6c652e6c6f67')

/** Lines of one transaction or call: a loop must not fill the disk with its log. */
export const CONSOLE_LINES_MAX = 1_000

/** Bytes of the input of one line; the rest of a longer one is left out. */
const CONSOLE_LINE_BYTES_MAX = 8 * 1024

/** Bytes of all lines of one transaction or call. */
export const CONSOLE_BYTES_MAX = 256 * 1024

/** Collects what one run prints. */
export type ConsoleRun = {
  readonly hooks: Tracer
  /** Writes the collected lines, once. */
  readonly flush: () => void
}

/** Creates a collector for each run. @param write receives each line */
export const createConsole = (write: (line: string) => void) => (): ConsoleRun => {
  const lines: string[] = []
  let bytes = 0
  let isFull = false
  return {
    hooks: {
      onEnter: call => {
        if (isFull || call.kind !== 'STATICCALL' || !equalBytes(call.to, CONSOLE_ADDRESS)) return
        if (lines.length === CONSOLE_LINES_MAX || bytes > CONSOLE_BYTES_MAX) {
          isFull = true
          lines.push(
            `Further lines are left out: more than ${CONSOLE_LINES_MAX} lines or ${CONSOLE_BYTES_MAX} bytes`,
          )
          return
        }
        const values = decodeConsoleCall(call.startOfInput(Math.min(call.inputSize, CONSOLE_LINE_BYTES_MAX)))
        if (values === undefined) return
        const line = formatConsoleLine(values)
        bytes += line.length
        lines.push(line)
      },
    },
    flush: () => {
      for (const line of lines.splice(0)) write(line)
    },
  }
}

/** Starts again for each attempt to run the same transactions, and writes what the last attempt printed. */
export const createBlockConsole = (start: () => ConsoleRun) => {
  let current: ConsoleRun | undefined
  return {
    observe: (): Tracer => {
      current = start()
      return current.hooks
    },
    flush: (): void => {
      current?.flush()
      current = undefined
    },
  }
}
