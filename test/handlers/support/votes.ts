import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import type { StandingVotes } from '../../../handlers/rpc/context.ts'

/** Standing votes in memory, of `max` at most. */
export const votesInMemory = (max = 1000): StandingVotes => {
  let votes: readonly Vote[] = []
  return {
    list: () => votes,
    propose: vote => {
      const others = votes.filter(({ recipient }) => !equalBytes(recipient, vote.recipient))
      if (others.length >= max)
        return Promise.reject(Object.assign(new Error('too many'), { code: 'TOO_MANY_VOTES' }))
      votes = [...others, vote]
      return Promise.resolve()
    },
    discard: recipient => {
      votes = votes.filter(vote => !equalBytes(vote.recipient, recipient))
      return Promise.resolve()
    },
  }
}
