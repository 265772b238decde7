import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { errorOf, withTransactionGas } from './callTracer.ts'
import { type CallNode, collectCalls } from './calls.ts'
import type { Place, TracerKind } from './traced.ts'

type Json = Record<string, unknown>

export type FlatCallTracerOptions = {
  readonly convertParityErrors: boolean
  readonly includePrecompiles: boolean
}

const PARITY_ERRORS: Readonly<Record<string, string>> = {
  'execution reverted': 'Reverted',
  'Code is too large': 'Out of gas',
  'precompile failed': 'Built-in failed',
}

const parityError = (error: string): string =>
  PARITY_ERRORS[error] ?? (error.startsWith('Invalid opcode: ') ? 'Bad instruction' : error)

const actionAndResult = (node: CallNode): readonly [type: string, action: Json, result: Json | undefined] => {
  const value = toQuantity(node.kind === 'STATICCALL' ? 0n : node.value)
  const from = toHex(node.from)
  const gas = toQuantity(node.gas)
  const gasUsed = toQuantity(node.gasUsed)
  const method = node.kind.toLowerCase()
  switch (node.kind) {
    case 'SELFDESTRUCT':
      return [
        'suicide',
        { address: from, balance: toQuantity(node.value), refundAddress: toHex(node.to) },
        undefined,
      ]
    case 'CREATE':
    case 'CREATE2':
      return [
        'create',
        { creationMethod: method, from, gas, init: toHex(node.input), value },
        // As in geth: a creation that failed has no address.
        {
          ...(node.outcome === 'success' ? { address: toHex(node.to) } : {}),
          code: toHex(node.output),
          gasUsed,
        },
      ]
    default:
      return [
        'call',
        { callType: method, from, gas, input: toHex(node.input), to: toHex(node.to), value },
        { gasUsed, output: toHex(node.output) },
      ]
  }
}

/** geth's flatCallTracer: a list of the calls, each with its position in the tree. */
export const flatCallTracer =
  ({ convertParityErrors, includePrecompiles }: FlatCallTracerOptions): TracerKind =>
  ({ gasLimit, place }, budget) => {
    const { hooks, root } = collectCalls(budget)
    const isShown = ({ isPrecompile, kind }: CallNode): boolean =>
      includePrecompiles || !isPrecompile || (kind !== 'CALL' && kind !== 'STATICCALL')

    const flatten = (node: CallNode, traceAddress: readonly number[], into: Json[]): void => {
      const calls = node.calls.filter(isShown)
      const [type, action, result] = actionAndResult(node)
      const error = errorOf(node)
      const shown = error !== undefined && convertParityErrors ? parityError(error) : error
      into.push({
        action,
        ...blockMembers(place),
        ...(shown === undefined ? {} : { error: shown }),
        // As in geth: a reverted call has gas used and output, a halted call does not.
        ...(result === undefined || node.outcome === 'halt' ? {} : { result }),
        subtraces: calls.length,
        traceAddress,
        ...transactionMembers(place),
        type,
      })
      calls.forEach((call, i) => flatten(call, [...traceAddress, i], into))
    }

    return {
      hooks,
      finish: result => {
        const traces: Json[] = []
        flatten(withTransactionGas(root(), gasLimit, result), [], traces)
        return traces
      },
    }
  }

const blockMembers = (place: Place | undefined): Json =>
  place === undefined ? {} : { blockHash: toHex(place.blockHash), blockNumber: Number(place.blockNumber) }

const transactionMembers = (place: Place | undefined): Json =>
  place === undefined
    ? {}
    : { transactionHash: toHex(place.transactionHash), transactionPosition: place.index }
