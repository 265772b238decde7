import { compareSync, hashSync } from 'bcryptjs'
import { requestScheduler } from '../../../../handlers/inbound/requestScheduler.ts'
import { createAudit, type Denial } from '../../../../handlers/auth/audit.ts'
import type { Authentication } from '../../../../handlers/auth/authentication.ts'
import { createClientOf } from '../../../../handlers/auth/client.ts'
import { createAuthentication } from '../../../../handlers/auth/createAuthentication.ts'
import { parseCredentials } from '../../../../handlers/auth/login/credentials.ts'
import { createIssuer, type Issuer } from '../../../../handlers/auth/login/issuer.ts'
import { createLogin } from '../../../../handlers/auth/login/login.ts'
import { createLoginLimits } from '../../../../handlers/auth/login/loginLimits.ts'
import { passwordMatches, type PasswordJob } from '../../../../handlers/auth/login/password.ts'
import { createRpcApp, HTTP_DEFAULTS, type RpcApp } from '../../../../handlers/http/app.ts'
import { RPC_DEFAULTS, type RpcContext } from '../../../../handlers/rpc/context.ts'

/** As cheap as a hash may be, for tests that are not about its cost. */
export const hashOf = (password: string, prefix = '$2a$'): string =>
  hashSync(password, 4).replace(/^\$2b\$/, () => prefix)

export const userToml = (name: string, password: string, permissions: readonly string[]): string =>
  `[Users.${name}]\npassword = "${hashOf(password)}"\npermissions = ${JSON.stringify(permissions)}\n`

export type LoginNode = RpcApp & {
  readonly authentication: Authentication
  /** The file; edits hold from the next login on. */
  credentials: string
  /** Milliseconds since 1970. */
  clockMs: number
  readonly denials: readonly Denial[]
  /** Names of those who logged in. */
  readonly logins: readonly string[]
  /** Every check of a password, in order. */
  readonly jobs: readonly PasswordJob[]
  /** What the next check throws instead of comparing. */
  failure: Error | undefined
  readonly reported: readonly string[]
  login(body: unknown, from?: string): Promise<Response>
  /** The token of a login that must succeed. */
  tokenOf(username: string, password: string): Promise<string>
  /** POST / with a token or none. */
  post(body: unknown, token?: string, from?: string): Promise<Response>
}

export type LoginNodeOptions = {
  readonly openMethods?: readonly string[]
  readonly context?: RpcContext
  /** A key of this node alone, as every port and every start has one; by default all share one, which takes long to make. */
  readonly ownKey?: boolean
}

let sharedIssuer: Promise<Issuer> | undefined

const noContext = {
  scheduler: requestScheduler(),
  chain: { configuration: { chainId: 1337n } },
  warn: () => undefined,
  options: { ...RPC_DEFAULTS, clientVersion: 'quorate/v0', networkId: 1337n },
} as unknown as RpcContext

/** An application with logins of its own key, whose file, clock and password checks are the test's. */
export const startLoginNode = async (
  credentials: string,
  { openMethods = [], context = noContext, ownKey = false }: LoginNodeOptions = {},
): Promise<LoginNode> => {
  const denials: Denial[] = []
  const logins: string[] = []
  const jobs: PasswordJob[] = []
  const reported: string[] = []
  const state = { credentials, clockMs: 1_700_000_000_000, failure: undefined as Error | undefined }
  const nowMs = (): number => state.clockMs
  const audit = createAudit({
    denied: denial => denials.push(denial),
    loggedIn: ({ who }) => logins.push(who),
    suppressed: () => undefined,
  })
  sharedIssuer ??= createIssuer()
  const issuer = await (ownKey ? createIssuer() : sharedIssuer)
  const login = createLogin({
    readCredentials: async () => parseCredentials(state.credentials),
    checkPassword: async job => {
      if (state.failure !== undefined) throw state.failure
      jobs.push(job)
      return passwordMatches(job, compareSync)
    },
    issuer,
    limits: createLoginLimits(nowMs),
    audit,
    nowMs,
    reportError: what => reported.push(what),
  })
  const authentication = createAuthentication({
    login,
    verify: issuer.verify,
    openMethods,
    acceptsSubprotocol: false,
    audit,
    nowMs,
  })
  const app = createRpcApp(context, HTTP_DEFAULTS, { authentication, clientOf: createClientOf([]) })
  const send = async (path: string, body: unknown, headers: Record<string, string>, from: string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = new Request(`http://localhost${path}`, {
      method: 'POST',
      body: text,
      headers: { host: 'localhost', 'content-length': String(Buffer.byteLength(text)), ...headers },
    })
    return await app.fetch(request, () => from)
  }
  const node = {
    ...app,
    authentication,
    denials,
    logins,
    jobs,
    reported,
    login: (body: unknown, from = '192.0.2.1') => send('/login', body, {}, from),
    tokenOf: async (username: string, password: string) => {
      const response = await send('/login', { username, password }, {}, '192.0.2.200')
      if (response.status !== 200) throw new Error(`login of ${username}: ${response.status}`)
      return ((await response.json()) as { token: string }).token
    },
    post: (body: unknown, token?: string, from = '192.0.2.1') =>
      send('/', body, token === undefined ? {} : { authorization: `Bearer ${token}` }, from),
  }
  return Object.assign(state, node)
}
