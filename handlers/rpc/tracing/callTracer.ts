import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import { revertText } from '../simulation/outcome.ts'
import { type CallNode, collectCalls, type TracedLog } from './calls.ts'
import type { TracerKind } from './traced.ts'

type Json = Record<string, unknown>

/** The reason of a failed call: Besu's texts for halts, geth's for others. Undefined for a successful one. */
export const errorOf = ({ outcome, halt, isPrecompile }: CallNode): string | undefined => {
  if (outcome === 'success') return undefined
  if (outcome === 'revert') return 'execution reverted'
  return isPrecompile && halt === 'Precompile error' ? 'precompile failed' : halt
}

const logShape = ({ log, position, index }: TracedLog): Json => ({
  address: toHex(log.address),
  topics: log.topics.map(toHex),
  data: toHex(log.data),
  index: toQuantity(index),
  position: toQuantity(position),
})

/** One call, without its inner calls. */
export const frameShape = (node: CallNode): Json => {
  const error = errorOf(node)
  const isCreate = node.kind === 'CREATE' || node.kind === 'CREATE2'
  const reason = node.outcome === 'revert' ? revertText(node.output) : undefined
  return {
    from: toHex(node.from),
    gas: toQuantity(node.gas),
    gasUsed: toQuantity(node.gasUsed),
    ...(isCreate && error !== undefined ? {} : { to: toHex(node.to) }),
    input: toHex(node.input),
    ...(node.output.length === 0 ? {} : { output: toHex(node.output) }),
    ...(error === undefined ? {} : { error }),
    ...(reason === undefined ? {} : { revertReason: reason }),
    ...(node.logs.length === 0 ? {} : { logs: node.logs.map(logShape) }),
    ...(node.kind === 'STATICCALL' ? {} : { value: toQuantity(node.value) }),
    type: node.kind,
  }
}

const shape = (node: CallNode): Json => ({
  ...frameShape(node),
  ...(node.calls.length === 0 ? {} : { calls: node.calls.map(shape) }),
})

/** The tree with the transaction's gas limit and gas used (with refunds and intrinsic gas) at its root. */
export const withTransactionGas = (
  root: CallNode,
  gasLimit: bigint,
  { gasUsed }: TransactionResult,
): CallNode => ({ ...root, gas: Number(gasLimit), gasUsed: Number(gasUsed) })

export type CallTracerOptions = { readonly onlyTopCall: boolean; readonly withLog: boolean }

/** geth's callTracer: the calls of a transaction as a tree, with Besu's texts for halts. */
export const callTracer =
  ({ onlyTopCall, withLog }: CallTracerOptions): TracerKind =>
  ({ gasLimit }, budget) => {
    const { hooks, root } = collectCalls(budget, { onlyTop: onlyTopCall, withLogs: withLog })
    return { hooks, finish: result => shape(withTransactionGas(root(), gasLimit, result)) }
  }
