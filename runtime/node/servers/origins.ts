import type { RpcContext } from '../../../handlers/rpc/context.ts'

/**
 * Origins whose pages may call a development chain without an option, as regular expressions: pages of this machine, browser
 * extensions, desktop programs, and names that are no web origin. No other website: it could drive the unlocked accounts. A
 * website can make its frames send `null`.
 */
const DEVELOPMENT_ORIGINS: readonly string[] = [
  'https?://(?:localhost|[a-z0-9-]+\\.localhost|127\\.0\\.0\\.1|\\[::1\\])(?::\\d{1,5})?',
  '(?!https?:)[a-z][a-z0-9+.-]*://[^/]*',
  '(?!null$)[^:/]+',
]

/** The origins that may call: those of the option, and on a development chain those above. */
export const allowedOrigins = (
  given: readonly string[],
  { development }: Pick<RpcContext, 'development'>,
): readonly string[] => (development === undefined ? given : [...DEVELOPMENT_ORIGINS, ...given])
