import { escapeText } from '../../core/text/escapeText.ts'
import { hideUrlSecrets } from '../text/shownUrl.ts'

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** Writes an error to the log of the Worker, on one line: it may hold text of an upstream node or a store. */
export const reportFailure = (what: string, error: unknown): void =>
  console.error(escapeText(hideUrlSecrets(`${what}: ${textOf(error)}`)))

export const reportWarning = (text: string): void => console.warn(escapeText(hideUrlSecrets(text)))
