import type { CommandContext } from '../../cli/command.ts'
import { CommandError } from '../../cli/errors.ts'
import { connectionFailureReason } from '../../files/reason.ts'
import { limitedBytes } from '../../serving/limitedBytes.ts'
import type { ProbeOptions } from './probeCommand.ts'

/** A container that takes longer counts as unhealthy. */
const TIMEOUT_MS = 5_000

/** An answer has some hundred bytes, and the reasons of a DOWN. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Asks a health endpoint once and prints its answer. Exit code 0 for the status 200, otherwise 1. @throws CommandError */
export const runProbe = async ({ options, terminal }: CommandContext<ProbeOptions>): Promise<number> => {
  const { url } = options
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const bytes = await limitedBytes(response, ANSWER_BYTES_MAX)
    terminal.out(
      bytes === undefined
        ? `its answer is longer than ${ANSWER_BYTES_MAX} bytes`
        : new TextDecoder().decode(bytes),
    )
    return response.status === 200 ? 0 : 1
  } catch (error) {
    const reason =
      error instanceof Error && error.name === 'TimeoutError'
        ? `no answer came within ${TIMEOUT_MS / 1000} s`
        : connectionFailureReason(error)
    throw new CommandError('NO_ANSWER', `The node at ${url} does not answer: ${reason}`)
  }
}
