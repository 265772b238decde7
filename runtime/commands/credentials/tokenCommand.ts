import { type Command, defineCommand } from '../../cli/command.ts'
import { customOption, InvalidValue, listOption, pathOption, textOption } from '../../cli/option.ts'
import { GROUP } from '../sharedOptions.ts'

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** A token cannot be revoked, so its lifetime is bounded. */
const EXPIRES_SECONDS_MAX = 366 * SECONDS.d

const parseDuration = (text: string): number => {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  const seconds = match === null ? 0 : Number(match[1]) * SECONDS[match[2] as keyof typeof SECONDS]
  if (seconds < 1 || seconds > EXPIRES_SECONDS_MAX)
    throw new InvalidValue(`: '${text}' is not a time such as 30s, 15m, 1h or 7d, of 366d at most`)
  return seconds
}

const checkPermissions = (entries: readonly string[]): readonly string[] => {
  const wrong = entries.find(entry => !/^(?:\*|[a-z0-9]+):(?:\*|\w+)$/i.test(entry))
  if (wrong !== undefined)
    throw new InvalidValue(`: '${wrong}' is not a permission such as eth:*, eth:call or *:*`)
  return entries
}

export type MintOptions = typeof MINT_OPTIONS
const MINT_OPTIONS = {
  key: pathOption({
    name: 'key',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'required',
    description: "PEM file with the issuer's private key, whose public key the node has",
  }),
  permissions: listOption({
    name: 'permissions',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'required',
    check: checkPermissions,
    description: 'What the token permits, such as eth:*,net:version',
  }),
  expires: customOption<number>({
    name: 'expires',
    group: GROUP,
    fallback: SECONDS.h,
    shownDefault: '1h',
    placeholder: '<TIME>',
    parse: parseDuration,
    description: 'Lifetime of the token: 30s, 15m, 1h or 7d',
  }),
  username: textOption({
    name: 'username',
    group: GROUP,
    fallback: undefined,
    description: 'Name of the user, for the log of the node',
  }),
}

export const TOKEN_COMMAND: Command = defineCommand({
  name: 'token mint',
  summary: 'Sign a token that a node accepts with --rpc-http-authentication-jwt-public-key-file',
  arguments: '',
  options: MINT_OPTIONS,
  examples: ['--key=issuer.pem --permissions=eth:*,net:version --expires=1h'],
  load: async () => (await import('./tokenMint.ts')).mintToken,
})
