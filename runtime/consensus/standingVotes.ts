import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import type { Vote } from '../../core/chain/codec/extraData.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import type { Log } from '../logging/log.ts'

/** Beside the keys of the chain (core/store/keys.ts): a JSON object, address to true (add) or false (drop). */
const VOTES_KEY = 'qbft:votes'

/** Maximum votes: more than any consortium has validators. */
const VOTES_MAX = 1_000

/** The operator's votes, kept across restarts and epochs until discarded. */
export type StandingVotes = {
  readonly list: () => readonly Vote[]
  /** Adds a vote or replaces the one on the same address; resolves when durable. @throws TooManyVotes */
  propose(vote: Vote): Promise<void>
  /** Discards a pending vote; does nothing if there is none. */
  discard(recipient: Address): Promise<void>
}

/** The maximum of votes is reached: discard some. */
export class TooManyVotes extends Error {
  override readonly name = 'TooManyVotes'
  readonly code = 'TOO_MANY_VOTES'
  constructor() {
    super(`there are ${VOTES_MAX} votes already: discard those that are decided`)
  }
}

const encode = (votes: readonly Vote[]): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify(
      Object.fromEntries(votes.map(({ recipient, type }) => [toHex(recipient), type === 'add'])),
    ),
  )

const decode = (bytes: Uint8Array): readonly Vote[] => {
  const object = JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, boolean>>
  return Object.entries(object).map(([address, isAdd]) => ({
    recipient: fromHex(address),
    type: isAdd ? 'add' : 'drop',
  }))
}

const read = (bytes: Uint8Array | undefined, log: Log): readonly Vote[] => {
  if (bytes === undefined) return []
  try {
    return decode(bytes)
  } catch (error) {
    log.error('The stored votes cannot be read; propose them again: {error}', { error })
    return []
  }
}

/** Opens the stored votes, in the order they were proposed. */
export const openStandingVotes = async (
  storage: Pick<KeyValueStore, 'get' | 'setDurably'>,
  log: Log,
): Promise<StandingVotes> => {
  let votes = read(await storage.get(VOTES_KEY), log)
  /** Serialises the writes, so that the last vote is the one stored last. */
  let writing: Promise<void> = Promise.resolve()

  const keep = (next: readonly Vote[]): Promise<void> => {
    votes = next
    const written = writing.then(() => storage.setDurably({ key: VOTES_KEY, value: encode(next) }))
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
