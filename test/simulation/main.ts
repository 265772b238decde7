import { cpus } from 'node:os'
import { argv, exit } from 'node:process'
import { parseArgs } from 'node:util'
import { processTerminal } from '../../runtime/cli/terminal/terminal.ts'
import { runCampaign } from './campaign/campaign.ts'
import { replay } from './campaign/replay.ts'
import { totalsText } from './campaign/report.ts'
import { work } from './campaign/worker.ts'
import { findPlanted } from './planted/findPlanted.ts'
import { type Forgetting, FORGETTING_NAMES, VALIDATORS_MAX, VALIDATORS_MIN } from './settings.ts'

const USAGE = `bun run simulate [options]: QBFT machines under a seeded clock and network

  --seeds=N        so many seeds (100)
  --from=S         the first one (1)
  --validators=K   in each simulation, ${VALIDATORS_MIN} to ${VALIDATORS_MAX} (the seed decides)
  --forgetting=W   validators lose the record of what they signed: ${FORGETTING_NAMES.join(', ')}
  --processes=P    so many at a time (as many as there are processors)
  --seed=S         one seed, told event by event
  --planted        that faults planted into a copy of the machine are found, each within --seeds seeds (1000)`

class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'USAGE'
}

const readOptions = () => {
  try {
    return parseArgs({
      args: argv.slice(2),
      options: {
        seeds: { type: 'string' },
        from: { type: 'string' },
        validators: { type: 'string' },
        forgetting: { type: 'string' },
        processes: { type: 'string' },
        seed: { type: 'string' },
        planted: { type: 'boolean' },
        help: { type: 'boolean' },
        // For the processes that this one starts.
        worker: { type: 'boolean' },
        step: { type: 'string' },
        'until-violation': { type: 'boolean' },
      },
    }).values
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

const integer = (name: string, text: string | undefined, min: number, max: number): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new UsageError(`--${name} must be an integer from ${min} to ${max}, not ${text}`)
}

const forgettingOf = (text: string | undefined): Forgetting | undefined => {
  const name = FORGETTING_NAMES.find(known => known === text)
  if (text === undefined || name !== undefined) return name
  throw new UsageError(`--forgetting must be one of ${FORGETTING_NAMES.join(', ')}, not ${text}`)
}

const SEED_MAX = 0xffff_ffff

const main = async (): Promise<number> => {
  const options = readOptions()
  const validators = integer('validators', options.validators, VALIDATORS_MIN, VALIDATORS_MAX)
  const from = integer('from', options.from, 0, SEED_MAX) ?? 1
  const asked = integer('seeds', options.seeds, 1, SEED_MAX)
  const seed = integer('seed', options.seed, 0, SEED_MAX)
  const forgetting = forgettingOf(options.forgetting)
  const processes = integer('processes', options.processes, 1, 256) ?? Math.max(1, cpus().length)
  const out = (text: string): void => processTerminal.out(text)
  if (options.help === true) {
    out(USAGE)
    return 0
  }
  if (options.worker === true) {
    const step = integer('step', options.step, 1, SEED_MAX) ?? 1
    const untilViolation = options['until-violation'] === true
    await work({ from, to: from + (asked ?? 0), step, validators, forgetting, untilViolation }, out)
    return 0
  }
  if (seed !== undefined) return (await replay(seed, validators, forgetting, out)) === undefined ? 0 : 1
  if (options.planted === true) return (await findPlanted(from, asked ?? 1_000, out)) ? 0 : 1
  const startedMs = performance.now()
  const totals = await runCampaign({ from, seeds: asked ?? 100, validators, forgetting, processes })
  const command = (of: number): string =>
    `bun run simulate --seed=${of}${validators === undefined ? '' : ` --validators=${validators}`}${forgetting === undefined ? '' : ` --forgetting=${forgetting}`}`
  out(totalsText(totals, performance.now() - startedMs, command))
  return totals.violations.length === 0 ? 0 : 1
}

try {
  const code = await main()
  await processTerminal.flush()
  exit(code)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  processTerminal.error(`${error.message}\n\n${USAGE}`)
  await processTerminal.flush()
  exit(2)
}
