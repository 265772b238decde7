import { loadRun } from '../engines.ts'
import { type Forgetting, settingsOfForgetting } from '../settings.ts'

/** Runs one seed and tells all that happens; gives its violation. */
export const replay = async (
  seed: number,
  validators: number | undefined,
  forgetting: Forgetting | undefined,
  out: (line: string) => void,
): Promise<string | undefined> => {
  const run = await loadRun()
  const settings = settingsOfForgetting(seed, validators, forgetting)
  const shown = { ...settings, faults: [...settings.faults] }
  for (const [name, value] of Object.entries(shown)) out(`${name}: ${String(value)}`)
  const result = run(settings, out)
  const faults = [...result.faults].map(([what, times]) => `${what} ${times}`).join(', ')
  out(`${result.steps} steps, ${result.heights} blocks, ${faults === '' ? 'no faults' : faults}`)
  out(`trace ${result.hash}`)
  out(result.violation === undefined ? 'nothing was violated' : `violation: ${result.violation}`)
  return result.violation
}
