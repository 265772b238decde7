import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Item, Report } from './item.ts'

/** The reports of a long run, one a line, so that it goes on where it was stopped. */
export type Journal = {
  readonly reports: readonly Report[]
  isDone(item: Item): boolean
  add(report: Report): void
}

/** A line that was being written when the process ended is left out: its item runs again. */
const parsed = (line: string): Report | undefined => {
  try {
    return JSON.parse(line) as Report
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export const openJournal = (folder: string): Journal => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'reports.jsonl')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n')
  const reports = text.split('\n').flatMap(line => parsed(line) ?? [])
  const done = new Set(reports.map(({ item }) => JSON.stringify(item)))
  return {
    reports,
    isDone: item => done.has(JSON.stringify(item)),
    add: report => appendFileSync(file, `${JSON.stringify(report)}\n`),
  }
}
