import { expect, jest, test } from 'bun:test'
import type { DropReason } from '../../../../core/qbft/effect.ts'
import { createDroppedMessages } from '../../../../runtime/consensus/reports/droppedMessages.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'
import { testAddress } from '../../genesis.ts'

const [VALIDATOR, OTHER, STRANGER] = [1, 2, 3].map(testAddress) as [Uint8Array, Uint8Array, Uint8Array]

/** Longer than what is gathered for a line. */
const REPORT_MS_MAX = 60_000

const setUp = () => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
  const droppedMessages = createDroppedMessages(logOf('validator'))
  const drop = (reason: DropReason, author: Uint8Array | undefined = VALIDATOR, peer = VALIDATOR) =>
    droppedMessages.dropped({ kind: 'dropped', reason, peer, author, detail: 'why' }, [VALIDATOR, OTHER])
  return { droppedMessages, drop, lines }
}

test('given invalid messages, when a peer signed them or honest ones do not pass them on, then it is blamed', () => {
  const { droppedMessages, drop } = setUp()
  expect(drop('undecodable', undefined)).toBe('invalid-message')
  expect(drop('unjustified')).toBe('invalid-message')
  expect(drop('unjustified', OTHER)).toBeUndefined()
  expect(drop('wrong-digest')).toBeUndefined()
  droppedMessages.stop()
})

test('given a peer whose own messages fail by the hundreds, when more come, then it floods', () => {
  const { droppedMessages, drop } = setUp()
  const blamed = Array.from({ length: 1050 }, () => drop('over-author-limit')).filter(Boolean)
  expect(blamed.length).toBeGreaterThanOrEqual(4)
  expect(new Set(blamed)).toEqual(new Set(['flooding']))
  expect(Array.from({ length: 350 }, () => drop('over-author-limit', OTHER)).filter(Boolean)).toEqual([])
  droppedMessages.stop()
})

test('given messages that no validator signed, when a peer brings hundreds, then it floods', () => {
  const { droppedMessages, drop } = setUp()
  expect(Array.from({ length: 100 }, () => drop('not-a-validator', OTHER)).filter(Boolean)).toEqual([])
  expect(Array.from({ length: 350 }, () => drop('not-a-validator', OTHER)).filter(Boolean)).toContain(
    'flooding',
  )
  droppedMessages.stop()
})

test('given messages that no honest peer sends, when they come, then one line names peer and reason', () => {
  jest.useFakeTimers()
  try {
    const { droppedMessages, drop, lines } = setUp()
    for (let index = 0; index < 20; index++) drop('past-height')
    jest.advanceTimersByTime(REPORT_MS_MAX)
    expect(lines.join()).not.toContain('past-height')
    for (let index = 0; index < 20; index++) drop('bad-signature', undefined)
    droppedMessages.refused(STRANGER, 'peer-not-a-validator', [VALIDATOR])
    expect(lines.join()).not.toContain('consensus messages. By peer')
    jest.advanceTimersByTime(REPORT_MS_MAX)
    expect(lines.join()).toContain('Dropped 41 consensus messages.')
    expect(lines.join()).toContain('past-height 20, bad-signature 20')
    expect(lines.join()).toContain('peer-not-a-validator 1')
    droppedMessages.stop()
  } finally {
    jest.useRealTimers()
  }
})
