import { describe, expect, test } from 'bun:test'
import { formatDuration } from '../../../../core/text/rates.ts'
import { startProgress, timeLeft } from '../../../../runtime/cli/terminal/progress.ts'
import { processTerminal } from '../../../../runtime/cli/terminal/terminal.ts'

describe('given the progress of a long command', () => {
  test('when it advances, then it shows the time left by the rate so far', () => {
    expect(timeLeft({ done: 25, total: 100, text: '' }, 10_000)).toBe('0:30 left')
    expect(timeLeft({ done: 0, total: 100, text: '' }, 10_000)).toBe('')
  })

  test('when durations are shown, then they look like clocks', () => {
    expect([0, 65_000, 3_661_000].map(formatDuration)).toEqual(['0:00', '1:05', '1:01:01'])
  })

  test('when there is a terminal, then it draws a bar and removes it at the end', async () => {
    const written: string[] = []
    let nowMs = 0
    const progress = startProgress(
      { ...processTerminal, interactive: true, columns: 120 },
      text => written.push(text),
      () => nowMs,
    )
    nowMs = 120
    progress.update({ done: 1, total: 2, text: 'block 5, 10.0 blocks/s' })
    progress.end()
    expect(written[0]).toMatch(/^\r\S+█{12}░{12} {2}50% {2}block 5, 10\.0 blocks\/s {2}0:00 left$/)
    expect(written.slice(1)).toEqual(['\r\u001b[2K'])
  })

  test('when there is none, then it writes nothing until something needs a wait', () => {
    const written: string[] = []
    const progress = startProgress({ ...processTerminal, interactive: false }, text => written.push(text))
    for (let done = 0; done < 100; done++) progress.update({ done, total: 100, text: '' })
    progress.end()
    expect(written).toEqual([])
  })
})
