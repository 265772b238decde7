import { formatDuration } from '../../../core/text/rates.ts'
import type { Terminal } from './terminal.ts'

/** Progress of a long task: `done` of `total` in the same unit, and a text to show. */
export type ProgressState = { readonly done: number; readonly total: number; readonly text: string }

export type Progress = {
  update(state: ProgressState): void
  /** Removes the bar. */
  end(): void
}

/** Minimum interval between redraws: ten a second look smooth. */
const REDRAW_MS = 100

/** Interval between progress lines in a log file. */
const LINE_MS = 5_000

const BAR_CELLS = 24

/** Estimated time left; empty before the first progress. */
export const timeLeft = ({ done, total }: ProgressState, elapsedMs: number): string =>
  done <= 0 || done > total ? '' : `${formatDuration((elapsedMs * (total - done)) / done)} left`

const percent = ({ done, total }: ProgressState): number =>
  total <= 0 ? 100 : Math.min(100, Math.floor((100 * done) / total))

const bar = (state: ProgressState, elapsedMs: number, columns: number): string => {
  const filled = Math.round((percent(state) * BAR_CELLS) / 100)
  const cells = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}`
  const parts = [`${String(percent(state)).padStart(3)}%`, state.text, timeLeft(state, elapsedMs)]
  return `${cells} ${parts.filter(part => part !== '').join('  ')}`.slice(0, Math.max(20, columns - 1))
}

/** Shows a bar with rate and time left on a terminal, otherwise a line every few seconds. */
export const startProgress = (
  terminal: Terminal,
  write: (text: string) => void,
  clockMs: () => number = Date.now,
): Progress => {
  const startedMs = clockMs()
  let shownMs = startedMs
  let drawn = false
  return {
    update: state => {
      const nowMs = clockMs()
      if (nowMs - shownMs < (terminal.interactive ? REDRAW_MS : LINE_MS)) return
      shownMs = nowMs
      if (terminal.interactive) {
        drawn = true
        write(`\r\u001b[2K${bar(state, nowMs - startedMs, terminal.columns)}`)
        return
      }
      const left = timeLeft(state, nowMs - startedMs)
      write(`${percent(state)}%, ${state.text}${left === '' ? '' : `, ${left}`}\n`)
    },
    end: () => {
      if (drawn) write('\r\u001b[2K')
      drawn = false
    },
  }
}
