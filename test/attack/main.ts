import { parseArgs } from 'node:util'
import { tableText } from '../bench/table.ts'
import type { RuntimeName } from '../runtime/nodeProcess.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './attacks/index.ts'
import { type AttackReport, runAttack } from './runAttack.ts'

// Replays every known attack, each against a network of real validators that it starts, prints a table, and exits with 1 when
// one of them bites.
const USAGE = 'bun run attack [--only=NAME,NAME] [--runtime=bun|node|deno] [--seed=N] [--list]'

const refuse = (reason: string): never => {
  process.stderr.write(`${reason}; usage: ${USAGE}\n`)
  process.exit(2)
}

const readArguments = () => {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        runtime: { type: 'string', default: 'bun' },
        seed: { type: 'string', default: '1' },
        list: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

const values = readArguments()

// The nodes of an attack that is cut short end, too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const chosen = values.only?.split(',')
const unknown = chosen?.find(name => !ATTACKS.some(attack => attack.name === name))
if (unknown !== undefined) refuse(`there is no attack ${unknown}: --list shows them`)
const attacks = ATTACKS.filter(({ name }) => chosen === undefined || chosen.includes(name))

const rowOf = ({ attack, watched, transfers, faults }: AttackReport) => ({
  name: attack.name,
  values: {
    'block gap, median / longest': `${(watched.medianGapMs / 1000).toFixed(1)} / ${(watched.longestGapMs / 1000).toFixed(1)} s`,
    'slowest answer': `${watched.longestAnswerMs.toFixed(0)} ms`,
    'memory growth': `${watched.growthMb.toFixed(0)} MB`,
    'transfers mined': `${transfers.mined} of ${transfers.sent}, within ${transfers.slowestBlocks} blocks`,
    result: faults.length === 0 ? 'held' : 'BITES',
  },
})

/** Gives no report where the network itself does not start or end: that is no reason to leave out the attacks that follow. */
const replayOne = async (attack: Attack): Promise<AttackReport | undefined> => {
  print(`${attack.name}: ${attack.what}`)
  try {
    const report = await runAttack(attack, {
      seed: Number(values.seed),
      runtime: values.runtime as RuntimeName,
      say: text => print(`  ${text}`),
    })
    for (const fault of report.faults) print(`  FAULT: ${fault}`)
    print(
      `  ${Object.entries(rowOf(report).values)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`,
    )
    return report
  } catch (error) {
    print(`  FAULT: ${String(error)}`)
    return undefined
  }
}

const replay = async (): Promise<boolean> => {
  const reports: AttackReport[] = []
  const failed: string[] = []
  for (const attack of attacks) {
    const report = await replayOne(attack)
    if (report === undefined) failed.push(attack.name)
    else reports.push(report)
  }
  print(tableText('attack', reports.map(rowOf)))
  const biting = reports.filter(({ faults }) => faults.length > 0).map(({ attack }) => attack.name)
  print(
    `${attacks.length} attacks on ${values.runtime}; ${biting.length} bite: ${biting.join(', ') || 'none'}`,
  )
  if (failed.length > 0) print(`without a result: ${failed.join(', ')}`)
  return biting.length + failed.length === 0
}

if (values.list) for (const { name, what } of ATTACKS) print(`${name}: ${what}`)
else process.exit((await replay()) ? 0 : 1)
