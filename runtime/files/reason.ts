import { errorText } from '../../core/text/errorText.ts'
import { hideUrlSecrets } from '../text/shownUrl.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  EEXIST: 'a file exists at that path',
  ENOTDIR: 'a file exists at that path',
  EISDIR: 'it is a folder',
  EROFS: 'it is on a read-only file system',
  EACCES: 'this user may not write to it',
  EPERM: 'this user may not write to it',
  ENOSPC: 'the disk is full',
}

/** Why a file or folder cannot be written, in words. */
export const writeFailureReason = (cause: unknown): string =>
  REASONS[(cause as { code?: string }).code ?? ''] ?? String(cause)

/** Failures of connections, by the texts and codes of the runtimes and of the clients of stores. */
const CONNECTION_REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ECONNREFUSED|connection ?refused|unable to connect/i, 'connection refused, no program listens there'],
  [/ENOTFOUND|EAI_AGAIN|failed to lookup|FailedToOpenSocket/i, 'the host name is unknown'],
  [/ETIMEDOUT|timed? ?out|max retries per request/i, 'no answer came in time'],
  [/EHOSTUNREACH|ENETUNREACH|unreachable/i, 'there is no route to the host'],
  [
    /ECONNRESET|EPIPE|hang up|connection (?:is|was) closed|connection terminated/i,
    'the connection was closed',
  ],
]

const textsOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const { code } = cause as { readonly code?: unknown }
  const inner = cause instanceof AggregateError ? (cause.errors as unknown[]).map(textsOf) : []
  return [
    cause.message,
    typeof code === 'string' ? code : '',
    ...inner,
    cause.cause === undefined ? '' : textsOf(cause.cause),
  ].join(' ')
}

/** Why a connection failed, in words of this program; undefined for an error of another kind. */
export const knownConnectionFailure = (cause: unknown): string | undefined => {
  const texts = textsOf(cause)
  return CONNECTION_REASONS.find(([pattern]) => pattern.test(texts))?.[1]
}

/** Why a connection failed, in words and without a final full stop. @param cause an error, or its text */
export const connectionFailureReason = (cause: unknown): string =>
  knownConnectionFailure(cause) ?? hideUrlSecrets(errorText(cause)).replace(/\.$/, '')
