import { describe, expect, test } from 'bun:test'
import { changeLogLevel, configureLog, type LogOptions, logOf } from '../../../runtime/logging/log.ts'

const logged = (options: Partial<LogOptions>, write: () => void): readonly string[] => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line), ...options })
  write()
  return lines
}

const log = logOf('chain')

describe('given the log', () => {
  test('when it writes for people, then a line has time, level, part and message', () => {
    expect(logged({}, () => log.warn('Block {number} waits', { number: 5n }))[0]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+00:00 \| WARN {2}\| chain \| Block 5 waits$/,
    )
  })

  test('when it writes JSON, then it has the values of the message, too', () => {
    const [line] = logged({ format: 'JSON' }, () => log.info('Block {number}', { number: 5n, hash: '0x1' }))
    expect(JSON.parse(line as string)).toMatchObject({
      level: 'INFO',
      part: 'chain',
      message: 'Block 5',
      number: 5,
      hash: '0x1',
    })
  })

  test('when an error is typed, then it shows its message, otherwise the stack', () => {
    const typed = Object.assign(new Error('the disk is full'), { code: 'STORE_FAILED' })
    expect(logged({}, () => log.error('Failed: {error}', { error: typed }))[0]).toEndWith(
      '| Failed: the disk is full',
    )
    expect(logged({}, () => log.error('Failed: {error}', { error: new Error('x') }))[0]).toMatch(
      /Failed: x \| Error: x\\n +at /,
    )
  })

  test('when values have control characters, then nobody can forge a line', () => {
    const [line] = logged({}, () =>
      log.info('From {peer}', { peer: 'a\n2026 | ERROR | chain | forged\u001b[31m' }),
    )
    expect(line).toEndWith('From a\\n2026 | ERROR | chain | forged\\u001b[31m')
  })

  test('when an error of another program has line ends and terminal sequences, then its stack is one escaped line', () => {
    const foreign = new Error('x\n2026-01-01 00:00:00 | ERROR | chain | forged \u001b[31m \u202e \u2028')
    for (const format of ['PLAIN', 'JSON'] as const) {
      const [line] = logged({ format }, () => log.error('Failed: {error}', { error: foreign }))
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
      expect(line).toContain('forged')
    }
  })

  const levels: readonly (readonly [level: LogOptions['level'], count: number])[] = [
    ['OFF', 0],
    ['ERROR', 1],
    ['WARN', 2],
    ['INFO', 3],
    ['DEBUG', 4],
    ['TRACE', 5],
    ['ALL', 5],
  ]
  test.each(levels)('when the level is %s, then it writes %p of five levels', (level, count) => {
    const lines = logged({ level }, () => {
      log.error('e')
      log.warn('w')
      log.info('i')
      log.debug('d')
      log.trace('t')
    })
    expect(lines).toHaveLength(count)
  })

  test('when the level changes, then for the whole node or for parts of it', () => {
    const tell = () => {
      log.debug('chain')
      logOf('p2p').debug('p2p')
      logOf('p2p').error('p2p fails')
    }
    const lines = logged({}, () => {
      tell()
      changeLogLevel('DEBUG', ['chain'])
      tell()
      changeLogLevel('OFF', ['quorate.p2p'])
      tell()
      changeLogLevel('DEBUG', [])
      tell()
    }).map(line => line.slice(line.lastIndexOf('| ') + 2))
    expect(lines).toEqual(['p2p fails', 'chain', 'p2p fails', 'chain', 'chain', 'p2p', 'p2p fails'])
  })
})
