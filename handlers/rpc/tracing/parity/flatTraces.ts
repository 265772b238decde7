import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import type { TransactionResult } from '../../../../core/evm/transaction/result.ts'
import { type CallNode, wasRefused } from '../calls.ts'
import { flatHaltText } from '../haltTexts.ts'
import type { Place } from '../traced.ts'

type Json = Record<string, unknown>

/** The trace of a call, with the addresses that trace_filter compares. */
export type FlatTrace = {
  readonly json: Json
  readonly from: Uint8Array | undefined
  readonly to: Uint8Array | undefined
}

/** Leaves out calls that never began, and inner calls of precompiles without value (Besu, OpenEthereum). */
const isShown = (node: CallNode): boolean => !wasRefused(node) && (!node.isPrecompile || node.value !== 0n)

const errorOf = ({ outcome, halt }: CallNode): string | undefined => {
  if (outcome === 'success') return undefined
  return outcome === 'revert' ? 'Reverted' : flatHaltText(halt ?? 'Out of gas')
}

type Parts = {
  readonly type: 'call' | 'create' | 'suicide'
  readonly action: Json
  readonly result: Json | null
}

const partsOf = (node: CallNode, isMined: boolean): Parts => {
  const from = toHex(node.from)
  const gas = toQuantity(node.gas)
  const gasUsed = toQuantity(node.gasUsed)
  const value = toQuantity(node.value)
  const name = node.kind.toLowerCase()
  switch (node.kind) {
    case 'SELFDESTRUCT':
      return {
        type: 'suicide',
        action: { address: from, balance: value, refundAddress: toHex(node.to) },
        result: null,
      }
    case 'CREATE':
    case 'CREATE2':
      return {
        type: 'create',
        action: { ...(isMined ? { creationMethod: name } : {}), from, gas, init: toHex(node.input), value },
        result: { address: toHex(node.to), code: toHex(node.output), gasUsed },
      }
    default:
      return {
        type: 'call',
        action: { callType: name, from, gas, input: toHex(node.input), to: toHex(node.to), value },
        result: { gasUsed, output: toHex(node.output) },
      }
  }
}

/**
 * The calls of a transaction as a list, each before its inner calls. Only traces of a mined transaction include the method of a
 * creation, and `place` if given, as in Besu.
 */
export const flatTraces = (
  root: CallNode,
  { failure, output }: TransactionResult,
  { isMined, place }: { readonly isMined: boolean; readonly place: Place | undefined },
): FlatTrace[] => {
  const traces: FlatTrace[] = []
  const reason = failure?.kind === 'revert' ? { revertReason: toHex(output) } : {}
  const block =
    place === undefined ? {} : { blockHash: toHex(place.blockHash), blockNumber: Number(place.blockNumber) }
  const transaction =
    place === undefined
      ? {}
      : { transactionHash: toHex(place.transactionHash), transactionPosition: place.index }
  const add = (node: CallNode, traceAddress: readonly number[]): void => {
    const calls = node.calls.filter(isShown)
    const { type, action, result } = partsOf(node, isMined)
    const error = errorOf(node)
    const json = {
      action,
      ...block,
      ...(error === undefined ? { result } : { error }),
      ...(node === root ? reason : {}),
      subtraces: calls.length,
      traceAddress,
      ...transaction,
      type,
    }
    traces.push({ json, from: node.from, to: node.to })
    calls.forEach((call, i) => add(call, [...traceAddress, i]))
  }
  add(root, [])
  return traces
}
