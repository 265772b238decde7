import type { StandingVotes } from '../../handlers/rpc/context.ts'
import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import type { Vote } from '../../core/block/codec/extraData.ts'
import type { Log } from '../logging/log.ts'
import { ValidatorFileError, type ValidatorFiles, VOTES_KEY } from './record/validatorFiles.ts'

/** Maximum votes: more than any consortium has validators. */
const VOTES_MAX = 1_000

/** The maximum of votes is reached: discard some. */
class TooManyVotes extends Error {
  override readonly name = 'TooManyVotes'
  readonly code = 'TOO_MANY_VOTES'
  constructor() {
    super(`there are ${VOTES_MAX} votes already: discard those that are decided`)
  }
}

const encode = (votes: readonly Vote[]): string =>
  JSON.stringify(Object.fromEntries(votes.map(({ recipient, type }) => [toHex(recipient), type === 'add'])))

const decode = (json: string): readonly Vote[] => {
  const object = JSON.parse(json) as Readonly<Record<string, boolean>>
  return Object.entries(object).map(([address, isAdd]) => ({
    recipient: fromHex(address),
    type: isAdd ? 'add' : 'drop',
  }))
}

/** Unreadable votes count as an empty list: the next proposed vote replaces them. */
const read = async (files: Pick<ValidatorFiles, 'get'>, log: Log): Promise<readonly Vote[]> => {
  try {
    const json = await files.get(VOTES_KEY)
    return json === undefined ? [] : decode(json)
  } catch (error) {
    if (!(error instanceof ValidatorFileError || error instanceof SyntaxError)) throw error
    log.error(
      'The votes of this validator cannot be read: {error}. It votes for nobody: propose them again with qbft_proposeValidatorVote',
      { error },
    )
    return []
  }
}

/** Opens the stored votes, in the order they were proposed. */
export const openStandingVotes = async (
  files: Pick<ValidatorFiles, 'get' | 'set'>,
  log: Log,
): Promise<StandingVotes> => {
  let votes = await read(files, log)
  /** Serialises the writes, so that the last vote is the one stored last. */
  let writing: Promise<void> = Promise.resolve()

  const keep = (next: readonly Vote[]): Promise<void> => {
    votes = next
    const written = writing.then(() => files.set(VOTES_KEY, encode(next)))
    writing = written.catch(() => undefined)
    return written
  }
  const without = (recipient: Address): readonly Vote[] =>
    votes.filter(vote => !equalBytes(vote.recipient, recipient))

  return {
    list: () => votes,
    propose: async vote => {
      const others = without(vote.recipient)
      if (others.length >= VOTES_MAX) throw new TooManyVotes()
      await keep([...others, vote])
    },
    discard: recipient => keep(without(recipient)),
  }
}
