import { expect, test } from 'bun:test'
import { rateLimitedLog } from '../../../p2p/transport/rateLimitedLog.ts'

test('given a line that is logged hundreds of times, then twenty a minute are logged, and the number of suppressed ones', () => {
  const lines: string[] = []
  const write =
    (level: string) =>
    (text: string, values: Record<string, unknown> = {}): void =>
      void lines.push(`${level} ${text} ${JSON.stringify(values)}`)
  let nowMs = 0
  const log = rateLimitedLog(
    { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    () => nowMs,
  )
  for (let index = 0; index < 100; index++) log.warn('Peer {peer} is banned', { peer: index })
  log.info('Another', {})
  const told = (): readonly string[] => lines.filter(line => !line.startsWith('debug'))
  expect(told().length).toBe(21)
  expect(lines.length).toBe(101)
  nowMs = 60_000
  log.warn('Peer {peer} is banned', { peer: 100 })
  expect(told().slice(-2)).toEqual([
    'warn {count} more lines like the following were suppressed {"count":80}',
    'warn Peer {peer} is banned {"peer":100}',
  ])
})
