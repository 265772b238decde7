import { stderr } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandContext } from '../../cli/command.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import { startProgress } from '../../cli/terminal/progress.ts'
import { callNode, type NodeApi } from '../../doctor/callNode.ts'
import { readToken } from '../../doctor/readToken.ts'
import type { CreateOptions } from './snapshotCommands.ts'
import { shownUrl } from '../../text/shownUrl.ts'

const POLL_MS = 250

type Status = {
  readonly state: 'writing' | 'complete' | 'failed'
  readonly path: string
  readonly number: bigint
  readonly hash: string
  readonly done: bigint
  readonly reason: string
}

const STATES: readonly unknown[] = ['writing', 'complete', 'failed'] satisfies readonly Status['state'][]

const isQuantity = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]{1,16}$/.test(value)

/** @throws CommandError for an answer of another form */
const readStatus = (url: string, answer: unknown): Status => {
  const { state, path, number, hash, done, reason } = (answer ?? {}) as Readonly<Record<string, unknown>>
  if (
    !STATES.includes(state) ||
    typeof path !== 'string' ||
    typeof hash !== 'string' ||
    !isQuantity(number) ||
    !isQuantity(done)
  )
    throw new CommandError(
      'NO_ANSWER',
      `The node at ${shownUrl(url)} answers in an unknown form: is it another release?`,
    )
  return {
    state: state as Status['state'],
    path,
    number: BigInt(number),
    hash,
    done: BigInt(done),
    reason: String(reason),
  }
}

/** Options for a node that is stopped. */
const LOCAL_OPTIONS = ['data-path', 'genesis-file', 'storage']

/** Those of the environment and of a configuration file may be for other commands. @throws UsageError */
const requireNoLocalOptions = ({ sources }: CommandContext<CreateOptions>): void => {
  for (const name of LOCAL_OPTIONS)
    if (sources.get(name)?.startsWith('-') === true)
      throw new UsageError(
        'INVALID_VALUE',
        `With --url the node writes the chain that it has: --${name} has no effect, leave it out`,
      )
}

const requireNoPath = ({ to, block }: CommandContext<CreateOptions>['options']): void => {
  if (to !== undefined && /[/\\]/.test(to))
    throw new UsageError(
      'INVALID_VALUE',
      'With --url the node writes the file into the folder snapshots of its data path: give a name in --to, not a path',
    )
  if (block !== undefined)
    throw new UsageError('INVALID_VALUE', 'A running node writes the chain up to its head: leave out --block')
}

/** Lets a running node write a snapshot, and waits for it. @throws CommandError, UsageError */
export const createOnNode = async (context: CommandContext<CreateOptions>, url: string): Promise<number> => {
  const { options, terminal } = context
  requireNoLocalOptions(context)
  requireNoPath(options)
  const api: NodeApi = { url, token: readToken(options.tokenFile) }
  const { to } = options
  let status = readStatus(url, await callNode(api, 'admin_createSnapshot', to === undefined ? [] : [to]))
  const progress = startProgress(terminal, text => void stderr.write(text))
  try {
    while (status.state === 'writing') {
      const { done, number } = status
      progress.update({ done: Number(done), total: Number(number), text: `block ${done}` })
      await delay(POLL_MS)
      status = readStatus(url, await callNode(api, 'admin_snapshotStatus'))
    }
  } finally {
    progress.end()
  }
  const { path, number, hash } = status
  if (status.state === 'failed')
    throw new CommandError('EXPORT', `The node could not write ${path}: ${status.reason}`)
  terminal.out(`The node wrote ${path}: the chain up to block ${number}, ${hash}`)
  return 0
}
