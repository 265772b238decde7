import { formatDuration } from '../../core/text/rates.ts'
import type { Terminal } from './terminal.ts'

/** How far a long task is: `done` of `total` in the same unit, and what else to say. */
export type ProgressState = { readonly done: number; readonly total: number; readonly text: string }

export type Progress = {
  update(state: ProgressState): void
  /** Removes the bar. */
  end(): void
}

/** A person sees no more pictures a second than this needs. */
const REDRAW_MS = 100

/** Lines in a file should tell that it goes on, not fill it. */
const LINE_MS = 5_000

const BAR_CELLS = 24

/** Time left by the rate so far; empty before anything was done. */
export const timeLeft = ({ done, total }: ProgressState, elapsedMs: number): string =>
  done <= 0 || done > total ? '' : `${formatDuration((elapsedMs * (total - done)) / done)} left`

const percent = ({ done, total }: ProgressState): number =>
  total <= 0 ? 100 : Math.min(100, Math.floor((100 * done) / total))

const bar = (state: ProgressState, elapsedMs: number, columns: number): string => {
  const filled = Math.round((percent(state) * BAR_CELLS) / 100)
  const picture = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}`
  const parts = [`${String(percent(state)).padStart(3)}%`, state.text, timeLeft(state, elapsedMs)]
  return `${picture} ${parts.filter(part => part !== '').join('  ')}`.slice(0, Math.max(20, columns - 1))
}

/** A bar with rate and time left on a terminal, a plain line every few seconds elsewhere. */
export const startProgress = (terminal: Terminal, write: (text: string) => void): Progress => {
  const startedMs = Date.now()
  let shownMs = startedMs
  let drawn = false
  return {
    update: state => {
      const nowMs = Date.now()
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
