import { toHex } from '../../../../core/bytes/hex.ts'
import type { Consensus } from '../../../../core/genesis/configuration.ts'
import { qbftByNumber } from '../../../../core/genesis/qbftSchedule.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { type Method, method } from '../../method.ts'
import { blockNumberOf, requireNumberSelector } from '../../parameters/block.ts'
import { given, hashOf, required } from '../../parameters/values.ts'
import { signerMetrics } from '../../validators/signerMetrics.ts'

/** The QBFT configuration. @throws RpcError on a chain with another consensus, which does not have these methods */
const qbftOf = ({ chain }: RpcContext): Extract<Consensus, { readonly kind: 'qbft' }> => {
  const { consensus } = chain.configuration
  if (consensus.kind !== 'qbft')
    throw new RpcError('METHOD_NOT_ENABLED', { data: `the consensus of this chain is ${consensus.kind}` })
  return consensus
}

const namedBy = async ({ chain }: RpcContext, number: bigint | undefined): Promise<string[] | null> =>
  number === undefined ? null : (await chain.validatorsNamedBy(number)).map(toHex)

/** Validators and timing of a QBFT chain. */
export const QBFT_METHODS: readonly Method[] = [
  method({
    name: 'qbft_getValidatorsByBlockNumber',
    summary: 'Returns the validators of a block',
    params: { block: 'BlockNumberOrTag' },
    result: 'Addresses',
    handle: async ({ params }, context) => {
      qbftOf(context)
      const { chain } = context
      const selector = requireNumberSelector(params, 0, 'INVALID_BLOCK')
      if (selector.kind === 'tag' && selector.tag === 'pending')
        return (await chain.validators(chain.head().header.number + 1n)).map(toHex)
      return await namedBy(context, await blockNumberOf(context, selector))
    },
  }),
  method({
    name: 'qbft_getValidatorsByBlockHash',
    summary: 'Returns the validators of a block',
    params: { blockHash: 'Hash' },
    result: 'Addresses',
    handle: async ({ params }, context) => {
      qbftOf(context)
      const hash = required(hashOf(given(params, 0)), 'INVALID_BLOCK_HASH')
      return await namedBy(context, await context.chain.store.numberOfHash(hash))
    },
  }),
  method({
    name: 'qbft_getSignerMetrics',
    summary: 'Returns the number of blocks that each validator proposed',
    params: { 'fromBlock?': 'BlockNumberOrTag', 'toBlock?': 'BlockNumberOrTag' },
    result: 'Objects',
    handle: async (call, context) => {
      qbftOf(context)
      return await signerMetrics(call, context)
    },
  }),
  method({
    name: 'qbft_getStatus',
    summary:
      'Returns whether blocks are decided, the reason if they are not, and the state of each validator',
    params: {},
    result: 'Object',
    handle: async (_, context) => {
      qbftOf(context)
      if (context.status === undefined) throw new RpcError('METHOD_NOT_ENABLED')
      return await context.status()
    },
  }),
  method({
    name: 'qbft_getRequestTimeoutSeconds',
    summary: 'Returns the timeout of the first round, in seconds',
    params: {},
    result: 'Number',
    handle: (_, context) => {
      const consensus = qbftOf(context)
      return qbftByNumber(consensus, consensus.startBlock).requestTimeoutSeconds
    },
  }),
]
