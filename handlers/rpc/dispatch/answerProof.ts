import { RPC_ERRORS } from '../errors.ts'
import type { Outcome } from './envelope.ts'
import { isForwarded } from './forwarding.ts'

/**
 * What an answer of a reader rests on.
 * - `values`: on values of the shared store, each of which was checked as the reader checks, and on its own configuration.
 * - `head`: on the head alone. That a hash is unknown, which is what `null` and many errors say, nobody can prove.
 * - `reader`: on the reader's own word, as about a pool, peers or votes, which it does not have; or its read failed.
 * - `upstream`: on the word of another node, whose head is another one.
 */
export type AnswerProof = 'values' | 'head' | 'reader' | 'upstream'

/** What the answer to one request rests on: the least of what its parts do. Without a part, on the reader alone. */
export type ProofNotes = {
  readonly note: (proof: AnswerProof) => void
  readonly least: () => AnswerProof
}

const ORDER: readonly AnswerProof[] = ['upstream', 'reader', 'head', 'values']

export const createProofNotes = (): ProofNotes => {
  let least: AnswerProof | undefined
  return {
    note: proof => {
      if (least === undefined || ORDER.indexOf(proof) < ORDER.indexOf(least)) least = proof
    },
    least: () => least ?? 'reader',
  }
}

/** Methods whose results consist of proved values and of the genesis file; a method that is not here proves nothing. */
const OF_VALUES = new RegExp(
  `^(?:${[
    'eth_(?:blockNumber|chainId|protocolVersion|config|capabilities|gasPrice|maxPriorityFeePerGas|blobBaseFee|baseFee|feeHistory)',
    'eth_getBlock(?:ByNumber|ByHash|Receipts|AccessList|TransactionCountByNumber|TransactionCountByHash)',
    'eth_getUncle(?:CountByBlockNumber|CountByBlockHash|ByBlockNumberAndIndex|ByBlockHashAndIndex)',
    'eth_get(?:Raw)?Transaction(?:ByHash|ByBlockNumberAndIndex|ByBlockHashAndIndex)',
    'eth_get(?:TransactionReceipt|TransactionCount|Balance|Code|StorageAt|StorageValues|Proof|Logs)',
    'eth_(?:call|estimateGas|createAccessList|simulateV1)',
    '(?:qbft|ibft)_get(?:ValidatorsByBlockNumber|ValidatorsByBlockHash|SignerMetrics|RequestTimeoutSeconds)',
    'debug_(?:getRaw(?:Header|Block|Receipts|Transaction)|accountRange|accountAt|storageRangeAt)',
    'debug_trace(?:Transaction|Call|Block|BlockByNumber|BlockByHash)',
    'trace_(?:block|transaction|get|filter|replayBlockTransactions|replayTransaction|call|callMany|rawTransaction)',
    'ots_getApiLevel',
    'net_version',
    'web3_sha3',
    'rpc_(?:modules|discover)',
  ].join('|')})$`,
)

const asksForPool = (params: readonly unknown[]): boolean =>
  params.some(
    param =>
      param === 'pending' ||
      (typeof param === 'object' && param !== null && Object.values(param).includes('pending')),
  )

/** What the result of a method rests on. */
export const proofOfMethod = (name: string, params: readonly unknown[]): AnswerProof => {
  if (isForwarded(name)) return 'upstream'
  return OF_VALUES.test(name) && !asksForPool(params) ? 'values' : 'reader'
}

const proofOfError = (code: number): AnswerProof => {
  if (code === RPC_ERRORS.EXECUTION_REVERTED.code) return 'values'
  return code === RPC_ERRORS.INTERNAL_ERROR.code ? 'reader' : 'head'
}

/** What the outcome of a method rests on. */
export const proofOfOutcome = (name: string, params: readonly unknown[], outcome: Outcome): AnswerProof => {
  const proof = proofOfMethod(name, params)
  if (proof !== 'values') return proof
  if ('error' in outcome) return proofOfError(outcome.error.code)
  return 'result' in outcome && (outcome.result === null || outcome.result === undefined) ? 'head' : proof
}
