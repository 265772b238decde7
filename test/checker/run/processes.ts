import { fileURLToPath } from 'node:url'
import type { Item, Report } from './item.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Runs the item in a process of its own, so that its memory is free afterwards. @throws with what the process wrote */
const runAlone = async (item: Item): Promise<Report> => {
  const child = Bun.spawn([process.execPath, MAIN, `--item=${JSON.stringify(item)}`], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const code = await child.exited
  if (code !== 0)
    throw new Error(`the exploration of '${item.bounds}' ended with code ${code}: ${errors}${out}`)
  return JSON.parse(out) as Report
}

/** Runs the items in so many processes; `onReport` gets each report as soon as it is there. */
export const runItems = async (
  items: readonly Item[],
  processes: number,
  onReport: (report: Report) => void,
): Promise<void> => {
  const waiting = [...items]
  const serve = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      onReport(await runAlone(item))
  }
  await Promise.all(Array.from({ length: processes }, serve))
}
