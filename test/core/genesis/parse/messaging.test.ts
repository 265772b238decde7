import { describe, expect, test } from 'bun:test'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import type { QbftConsensus } from '../../../../core/genesis/qbftSchedule.ts'
import { refusalOf, withQbft } from '../genesisFiles.ts'

const messagingOf = (options: Readonly<Record<string, unknown>>) =>
  (parseGenesis(withQbft(options)).configuration.consensus as QbftConsensus).messaging

describe('given limits on messages', () => {
  test('when the file has them, then they are read', () => {
    const options = {
      messageQueueLimit: 20,
      duplicatemessagelimit: 30,
      FUTUREMESSAGESLIMIT: 0,
      futureMessagesMaxDistance: 5,
    }
    expect(messagingOf(options)).toEqual({
      messageQueueLimit: 20,
      duplicateMessageLimit: 30,
      futureMessagesLimit: 0,
      futureMessagesMaxDistance: 5,
    })
  })

  test('when the file has none, then they are Besu’s defaults', () => {
    expect(messagingOf({})).toEqual({
      messageQueueLimit: 1000,
      duplicateMessageLimit: 100,
      futureMessagesLimit: 1000,
      futureMessagesMaxDistance: 10,
    })
  })

  test('when they are not numbers, then they are refused as in Besu', () => {
    for (const key of [
      'messagequeuelimit',
      'duplicatemessagelimit',
      'futuremessageslimit',
      'futuremessagesmaxdistance',
      'gossipedhistorylimit',
    ])
      expect(refusalOf(withQbft({ [key]: '10' }))).toEqual({
        code: 'INVALID_VALUE',
        message: `config.qbft.${key}: Expected number value but got string`,
      })
  })

  test('when they are zero, then one message is kept', () => {
    expect(refusalOf(withQbft({ messagequeuelimit: 0 }))).toEqual({
      code: 'INVALID_VALUE',
      message:
        'config.qbft.messagequeuelimit: must be greater than zero: without a queue no message would be read',
    })
  })

  test('when they have no effect here, then a warning says so', () => {
    expect(parseGenesis(withQbft({ gossipedHistoryLimit: 5000 })).warnings).toEqual([
      'config.qbft.gossipedHistoryLimit: has no effect, a message is forwarded when it first arrives and its duplicates are dropped',
    ])
  })
})
