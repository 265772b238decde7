import { capital } from '../../doctor/explain.ts'
import { existsSync } from 'node:fs'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError } from '../../cli/errors.ts'
import { type NodeApi, callNode } from '../../doctor/callNode.ts'
import { checkReadiness } from '../../doctor/readiness.ts'
import { readToken } from '../../doctor/readToken.ts'
import { type Check, checkDisk, checkEnode, checkKey } from '../../doctor/checks.ts'
import { checkRestart, checksOf, readStatus, type Status } from '../../doctor/statusChecks.ts'
import type { DoctorOptions } from './doctorCommand.ts'
import { shownUrl } from '../../text/shownUrl.ts'

type Context = CommandContext<DoctorOptions>

const statusOf = async (api: NodeApi): Promise<Status> => {
  const status = readStatus(await callNode(api, 'qbft_getStatus'))
  if (status === undefined)
    throw new CommandError(
      'NO_ANSWER',
      `The node at ${shownUrl(api.url)} answers qbft_getStatus in an unknown form: is it an earlier release?`,
    )
  return status
}

/** Undefined where the node connects to no others, or does not serve NET. */
const enodeOf = async (api: NodeApi): Promise<string | undefined> => {
  try {
    const enode = await callNode(api, 'net_enode')
    return typeof enode === 'string' ? enode : undefined
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

const localChecks = (dataPath: string): readonly Check[] => {
  if (!existsSync(dataPath))
    throw new CommandError('DATA_PATH', `${dataPath} is not there: give the --data-path of the node`)
  return [checkKey(dataPath), checkDisk(dataPath)]
}

const checksFor = async ({ options, sources }: Context): Promise<readonly Check[]> => {
  const api = { url: options.url, token: readToken(options.tokenFile) }
  const status = await statusOf(api)
  if (options.beforeRestart) return [checkRestart(status)]
  const enode = await enodeOf(api)
  const checks = checksOf(status)
  // The causes of a stall are reasons of readiness as well, and stand in the checks already.
  const readiness = checks.every(({ passed }) => passed) ? await checkReadiness(options.url) : undefined
  return [
    ...checks,
    ...(readiness === undefined ? [] : [readiness]),
    ...(enode === undefined ? [] : [await checkEnode(enode)]),
    ...(sources.has('data-path') ? localChecks(options.dataPath) : []),
  ]
}

const NAME_WIDTH = 10

/** Checks a node and prints the results. Exit code 0 when every check passes, otherwise 1. */
export const runDoctor = async (context: Context): Promise<number> => {
  const { options, terminal } = context
  let checks: readonly Check[]
  try {
    checks = await checksFor(context)
  } catch (error) {
    if (!(error instanceof CommandError) || !options.json) throw error
    checks = [{ name: 'node', passed: false, text: error.message }]
  }
  const passed = checks.every(check => check.passed)
  if (options.json) {
    terminal.out(
      JSON.stringify({
        well: passed,
        checks: checks.map(({ name, passed: well, needsCare, text }) => ({
          name,
          well,
          ...(needsCare === true ? { care: true } : {}),
          text,
        })),
      }),
    )
    return passed ? 0 : 1
  }
  for (const { name, passed: well, needsCare, text } of checks)
    terminal.out(
      `${!well ? 'WRONG' : needsCare === true ? 'care ' : 'well '}  ${name.padEnd(NAME_WIDTH)} ${capital(text)}`,
    )
  return passed ? 0 : 1
}
