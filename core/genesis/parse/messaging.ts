import type { QbftMessaging } from '../configuration.ts'
import { GenesisError } from '../error.ts'
import { entryOf, int, type Section } from './section.ts'

const MESSAGE_QUEUE_LIMIT = 1000
const DUPLICATE_MESSAGE_LIMIT = 100
const FUTURE_MESSAGES_LIMIT = 1000
const FUTURE_MESSAGES_MAX_DISTANCE = 10

/** The message limits of `config.qbft`. Nodes may differ. @throws GenesisError */
export const parseMessaging = (section: Section): QbftMessaging => {
  const messageQueueLimit = int(section, 'messageQueueLimit') ?? MESSAGE_QUEUE_LIMIT
  if (messageQueueLimit === 0)
    throw new GenesisError(
      'INVALID_VALUE',
      entryOf(section, 'messageQueueLimit')?.path ?? section.path,
      'must be greater than zero: without a queue no message would be read',
    )
  return {
    messageQueueLimit,
    duplicateMessageLimit: int(section, 'duplicateMessageLimit') ?? DUPLICATE_MESSAGE_LIMIT,
    futureMessagesLimit: int(section, 'futureMessagesLimit') ?? FUTURE_MESSAGES_LIMIT,
    futureMessagesMaxDistance: int(section, 'futureMessagesMaxDistance') ?? FUTURE_MESSAGES_MAX_DISTANCE,
  }
}

/** Besu's limits that have no effect here. @throws GenesisError if one is not a number, as in Besu */
export const messagingWarnings = (section: Section): readonly string[] => {
  if (int(section, 'gossipedHistoryLimit') === undefined) return []
  const path = entryOf(section, 'gossipedHistoryLimit')?.path ?? section.path
  return [
    `${path}: has no effect, a message is forwarded when it first arrives and its duplicates are dropped`,
  ]
}
