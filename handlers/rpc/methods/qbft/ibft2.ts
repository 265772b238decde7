import { RpcError } from '../../errors.ts'
import { type Method, permissionOf } from '../../method.ts'
import { QBFT_METHODS } from './reads.ts'
import { QBFT_VOTE_METHODS } from './votes.ts'

const READ_METHODS: ReadonlySet<string> = new Set([
  'qbft_getValidatorsByBlockNumber',
  'qbft_getValidatorsByBlockHash',
  'qbft_getSignerMetrics',
  'qbft_getPendingVotes',
])

const ibft2Method = (row: Method): Method => {
  const name = row.name.replace('qbft', 'ibft')
  return {
    ...row,
    name,
    group: 'IBFT',
    permission: permissionOf(name),
    handle: (call, context) => {
      const { consensus } = context.chain.configuration
      if (consensus.kind !== 'qbft' || consensus.startBlock === 0n) throw new RpcError('METHOD_NOT_ENABLED')
      // Besu's IBFT 2.0 methods read the list of a header, and the pending block has none.
      const [first, ...rest] = call.params
      return row.handle({ ...call, params: [first === 'pending' ? 'latest' : first, ...rest] }, context)
    },
  }
}

/** The methods that read validators, by their names of IBFT 2.0, for chains that moved from IBFT 2.0 to QBFT. */
export const IBFT2_METHODS: readonly Method[] = [...QBFT_METHODS, ...QBFT_VOTE_METHODS]
  .filter(({ name }) => READ_METHODS.has(name))
  .map(ibft2Method)
