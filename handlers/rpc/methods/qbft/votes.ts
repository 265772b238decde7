import { toHex } from '../../../../core/bytes/hex.ts'
import type { Vote } from '../../../../core/block/codec/extraData.ts'
import { selectionAt } from '../../../../core/genesis/qbftSchedule.ts'
import type { RpcContext, StandingVotes } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { type Method, method } from '../../method.ts'
import { exactAddressOf, flagOf, given, requireAddress, required } from '../../parameters/values.ts'
import { warnOfVote } from '../../validators/voteWarning.ts'

/** There are no votes where a contract selects the validators; the mode at the head decides, as in Besu. */
const votesOf = ({ chain, votes }: RpcContext): StandingVotes => {
  const { consensus } = chain.configuration
  if (
    votes === undefined ||
    consensus.kind !== 'qbft' ||
    selectionAt(consensus, chain.head().header.number, chain.head().header.timestamp).mode === 'contract'
  )
    throw new RpcError('METHOD_NOT_ENABLED', {
      data: 'votes count where the blocks of a QBFT chain name its validators, not a contract',
    })
  return votes
}

const propose = async (context: RpcContext, votes: StandingVotes, vote: Vote): Promise<true> => {
  try {
    await warnOfVote(context, vote)
    await votes.propose(vote)
    return true
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'TOO_MANY_VOTES') throw cause
    throw new RpcError('TOO_MANY_VOTES', { cause })
  }
}

/**
 * The operator's votes on validators. Each block that this node proposes casts one vote that has an effect. A vote stays until
 * the operator discards it.
 */
export const QBFT_VOTE_METHODS: readonly Method[] = [
  method({
    name: 'qbft_proposeValidatorVote',
    summary: 'Votes to add or remove a validator',
    params: { address: 'WholeAddress', add: 'Flag' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const votes = votesOf(context)
      const recipient = required(exactAddressOf(given(params, 0)), 'INVALID_ADDRESS')
      const isAdd = required(flagOf(given(params, 1)), 'INVALID_VOTE_TYPE')
      return propose(context, votes, { recipient, type: isAdd ? 'add' : 'drop' })
    },
  }),
  method({
    name: 'qbft_discardValidatorVote',
    summary: 'Discards a pending vote',
    params: { address: 'Address' },
    result: 'Boolean',
    handle: async ({ params }, context) => {
      const votes = votesOf(context)
      await votes.discard(requireAddress(params, 0))
      return true
    },
  }),
  method({
    name: 'qbft_getPendingVotes',
    summary: 'Returns the pending votes of this node',
    params: {},
    result: 'Object',
    handle: (_, context) =>
      Object.fromEntries(
        votesOf(context)
          .list()
          .map(({ recipient, type }) => [toHex(recipient), type === 'add']),
      ),
  }),
]
