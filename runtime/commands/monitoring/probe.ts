import type { CommandContext } from '../../cli/command.ts'
import { CommandError } from '../../cli/errors.ts'
import { EndpointSilent, getText } from '../../doctor/getText.ts'
import { printable } from '../../doctor/texts.ts'
import type { ProbeOptions } from './probeCommand.ts'
import { shownUrl } from '../../text/shownUrl.ts'

/** Asks a health endpoint once and prints its answer. Exit code 0 for the status 200, otherwise 1. @throws CommandError */
export const runProbe = async ({ options, terminal }: CommandContext<ProbeOptions>): Promise<number> => {
  const { url } = options
  try {
    const { status, text } = await getText(url)
    terminal.out(printable(text))
    return status === 200 ? 0 : 1
  } catch (error) {
    if (!(error instanceof EndpointSilent)) throw error
    throw new CommandError('NO_ANSWER', `The node at ${shownUrl(url)} does not answer: ${error.message}`)
  }
}
