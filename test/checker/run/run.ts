import { readFileSync } from 'node:fs'
import { replay, readStory, storyOf } from '../explore/story.ts'
import type { Options } from '../main.ts'
import { coverageText } from '../planted/coverage.ts'
import { PLANTED_FAULTS } from '../planted/faults.ts'
import { ScopeError, scopeOf, scopeText, SCOPE_OPTIONS } from '../scope.ts'
import { isFailed, type Item, type Report, reportText, runItem } from './item.ts'
import { openJournal } from './journal.ts'
import { DEFAULT, deepPlan, QUICK } from './plan.ts'
import { runItems } from './processes.ts'

const DEFAULT_SECONDS = 60
/** Walks of a deep run beside its explorations: some days of two cores. */
const DEEP_SEEDS = 100

const numberOf = (name: string, text: string | undefined, otherwise: number): number => {
  const number = text === undefined ? otherwise : Number(text)
  if (!Number.isFinite(number) || number < 0) throw new ScopeError(`--${name} is a number, not '${text}'`)
  return number
}

/** The single exploration that the options describe. */
const itemOf = (options: Options): Item => {
  const fault = PLANTED_FAULTS.find(({ name }) => name === options.plant)
  const bounds = scopeText(scopeOf(options))
  return {
    bounds: bounds === '' ? (fault?.bounds ?? '') : bounds,
    seed: options.seed === undefined ? undefined : numberOf('seed', options.seed, 0),
    limits: {
      states: Number.MAX_SAFE_INTEGER,
      seconds: numberOf('seconds', options.seconds, DEFAULT_SECONDS),
    },
    progressEvery: numberOf('progress', options.progress, fault?.progressEvery ?? 0),
    isNaive: options.naive === true,
  }
}

const replayFile = (file: string): number => {
  const { scope, steps } = readStory(readFileSync(file, 'utf8'))
  const { what, impossible } = replay(scope, steps)
  if (impossible !== undefined) {
    console.log(`a${impossible.node} cannot take this step now: ${impossible.action}`)
    return 1
  }
  console.log(storyOf(scope, { what: what ?? 'no rule is broken', steps }))
  return what === undefined ? 0 : 1
}

const summary = (reports: readonly Report[]): string => {
  const total = (of: (report: Report) => number): number =>
    reports.reduce((sum, report) => sum + of(report), 0)
  const complete = reports.filter(({ result }) => result.isComplete).length
  const exhaustive = reports.filter(({ item }) => item.seed === undefined).length
  const failed = reports.filter(isFailed).length
  return (
    `${reports.length} explorations (${complete} of ${exhaustive} exhaustive ones complete):` +
    ` ${total(({ result }) => result.states).toLocaleString('en')} states,` +
    ` ${total(({ result }) => result.runs).toLocaleString('en')} runs of the machine,` +
    ` ${total(({ progress }) => progress?.rests ?? 0).toLocaleString('en')} good rests,` +
    ` ${total(({ result }) => result.cpuSeconds).toFixed(0)} s of CPU; ${failed} failed`
  )
}

const runPlan = async (
  items: readonly Item[],
  processes: number,
  onReport: (report: Report) => void,
): Promise<number> => {
  const reports: Report[] = []
  await runItems(items, processes, report => {
    reports.push(report)
    onReport(report)
    console.log(reportText(report))
  })
  console.log(summary(reports))
  return reports.some(isFailed) ? 1 : 0
}

const runDeep = async (folder: string, processes: number): Promise<number> => {
  const journal = openJournal(folder)
  const items = deepPlan(DEEP_SEEDS)
  const left = items.filter(item => !journal.isDone(item))
  console.log(
    `${items.length - left.length} of ${items.length} explorations are done; reports are kept in ${folder}`,
  )
  const failedBefore = journal.reports.some(isFailed)
  const code = await runPlan(left, processes, report => journal.add(report))
  return failedBefore ? 1 : code
}

const runSingle = (options: Options): number => {
  const report = runItem(itemOf(options))
  console.log(reportText(report))
  if (options.coverage === true) console.log(coverageText())
  return isFailed(report) ? 1 : 0
}

const isSingle = (options: Options): boolean =>
  [...Object.keys(SCOPE_OPTIONS), 'seed', 'seconds', 'progress', 'naive', 'plant', 'coverage'].some(
    name => options[name as keyof Options] !== undefined,
  )

/** Does what the options ask for; returns the exit code. */
export const run = async (options: Options): Promise<number> => {
  try {
    if (options.item !== undefined) {
      console.log(JSON.stringify(runItem(JSON.parse(options.item) as Item)))
      return 0
    }
    if (options.replay !== undefined) return replayFile(options.replay)
    if (options.plant === 'list') {
      for (const { name, file } of PLANTED_FAULTS) console.log(`${name}: ${file}`)
      return 0
    }
    const processes = Math.max(1, numberOf('processes', options.processes, 2))
    if (options.deep !== undefined) return await runDeep(options.deep, processes)
    if (options.quick === true || !isSingle(options))
      return await runPlan(options.quick === true ? QUICK : DEFAULT, processes, () => {})
    return runSingle(options)
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error
    console.error(error.message)
    return 2
  }
}
