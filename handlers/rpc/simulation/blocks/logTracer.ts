import { type Address, type Hash, padStartBytes } from '../../../../core/bytes/bytes.ts'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import type { Log } from '../../../../core/block/receipt.ts'
import type { Tracer } from '../../../../core/evm/interpreter/tracer.ts'

/** keccak of `Transfer(address,address,uint256)`, as tokens log it (ERC-20). */
const TRANSFER_TOPIC: Hash = fromHex('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
/** The address of the execution-apis for logs of native transfers; nobody has its key. */
const NATIVE_TOKEN: Address = fromHex('ee'.repeat(20))

const transferLog = (from: Address, to: Address, wei: bigint): Log => ({
  address: NATIVE_TOKEN,
  topics: [TRANSFER_TOPIC, padStartBytes(from, 32), padStartBytes(to, 32)],
  data: bigintToFixedBytes(wei, 32),
})

/** A log and its index in the block. Logs of failed calls count, too, as in geth. */
export type NumberedLog = { readonly log: Log; readonly index: number }

/** Collects the logs of the transactions of one block, and of native transfers where the request asks for them. */
export const createLogTracer = (
  withTransfers: boolean,
): { readonly tracer: Tracer; take(): readonly NumberedLog[] } => {
  let frames: NumberedLog[][] = []
  let kept: readonly NumberedLog[] = []
  let count = 0
  const add = (log: Log): void => {
    frames.at(-1)?.push({ log, index: count++ })
  }
  return {
    tracer: {
      onEnter: ({ kind, from, to, value }) => {
        frames.push([])
        // A DELEGATECALL keeps its caller's value without a transfer.
        if (withTransfers && value > 0n && kind !== 'DELEGATECALL')
          add(transferLog(from.slice(), to.slice(), value))
      },
      onLog: add,
      onSelfDestruct: (from, to, wei) => {
        if (withTransfers && wei > 0n) add(transferLog(from, to, wei))
      },
      onExit: ({ outcome }) => {
        const logs = frames.pop() ?? []
        if (outcome !== 'success') return
        const parent = frames.at(-1)
        if (parent === undefined) kept = logs
        else for (const log of logs) parent.push(log)
      },
    },
    /** Returns and removes the logs of the last transaction. */
    take: () => {
      const logs = kept
      frames = []
      kept = []
      return logs
    },
  }
}
