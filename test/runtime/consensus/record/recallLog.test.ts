import { expect, test } from 'bun:test'
import { createRecallLog } from '../../../../runtime/consensus/record/recallLog.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'

const setUp = () => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
  const clock = { nowMs: 0 }
  const log = createRecallLog(logOf('validator'), () => clock.nowMs)
  const waits = (): void => log({ kind: 'recall', sequence: 7n, round: undefined, reported: 1, needed: 2 })
  return { lines, clock, log, waits }
}

test('given a validator that waits for the others, then the log says so twice a minute', () => {
  const { lines, clock, waits } = setUp()
  for (clock.nowMs = 0; clock.nowMs < 60_000; clock.nowMs += 1_000) waits()
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain(
    'signs nothing yet: 1 other validators have reported their height and round, at least 2 are needed',
  )
})

test('given a validator that may sign from a later round on, when it does, then a line says from which round; in a new network there is none', () => {
  const { lines, log } = setUp()
  log({ kind: 'recall', sequence: 1n, round: 0, reported: 3, needed: 2 })
  expect(lines).toEqual([])
  log({ kind: 'recall', sequence: 7n, round: 3, reported: 3, needed: 2 })
  expect(lines.join()).toContain('This validator signs messages from round 3 of block 7 on')
})
