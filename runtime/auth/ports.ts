import { type AuditLog, createAudit } from '../../handlers/auth/audit.ts'
import { type Authentication, NO_AUTHENTICATION } from '../../handlers/auth/authentication.ts'
import { createAuthentication } from '../../handlers/auth/createAuthentication.ts'
import { createIssuer } from '../../handlers/auth/login/issuer.ts'
import { createLogin } from '../../handlers/auth/login/login.ts'
import { createLoginLimits } from '../../handlers/auth/login/loginLimits.ts'
import { createVerifySignature } from '../../handlers/auth/tokens/verifyToken.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Log } from '../logging/log.ts'
import { createPasswordPool } from '../threads/passwords/passwordPool.ts'
import { createCredentialsReader } from './credentialsFile.ts'
import { type KeySource, openKeySource } from './jwks.ts'
import { type Mode, modeOf } from './modes.ts'
import type { Access } from './open.ts'
import { type AuthSettings, httpAuthSettings, wsAuthSettings } from './settings.ts'

/** Verifies with the key of the PEM file, and with those of the key set. */
const openKeys = async (
  { key, jwks }: Extract<Mode, { kind: 'publicKeys' }>,
  { algorithm }: AuthSettings,
  log: Log,
): Promise<KeySource> => {
  const fixed = key === undefined ? undefined : await createVerifySignature(key, algorithm)
  const source = jwks === undefined ? undefined : await openKeySource(jwks, log, Date.now)
  return {
    verify: async token => (await fixed?.(token)) ?? source?.verify(token),
    version: () => source?.version() ?? 0,
    stop: () => source?.stop(),
  }
}

const auditLog = (log: Log): AuditLog => ({
  denied: ({ who, what, from }) => log.warn('Denied {what} to {who} from {from}', { what, who, from }),
  loggedIn: ({ who, from }) => log.info('{who} logged in from {from}', { who, from }),
  suppressed: count => log.warn('{count} more denials in the last minute', { count }),
})

/** Opens the authentication of each port by the options. Checks keys and files before any port listens. @throws UsageError */
export const openPorts = async (options: NodeOptions, log: Log): Promise<Omit<Access, 'clientOf'>> => {
  const ports = [httpAuthSettings(options), wsAuthSettings(options)] as const
  const [httpMode, wsMode] = ports.map(settings => modeOf(settings, log)) as [Mode, Mode]
  const nowMs = (): number => Date.now()
  const pool = createPasswordPool()
  // Shared by all ports: otherwise each port would allow more attempts.
  const limits = createLoginLimits(nowMs)
  const audit = createAudit(auditLog(log))
  const reportError = (what: string, error: unknown): void =>
    log.error('{what} failed: {error}', { what, error })

  const stops: (() => void)[] = []
  const open = async (settings: AuthSettings, mode: Mode): Promise<Authentication> => {
    if (mode.kind === 'off') return NO_AUTHENTICATION
    const { openMethods, acceptsSubprotocol, expectedClaims } = settings
    const common = { openMethods, acceptsSubprotocol, expectedClaims, audit, nowMs }
    if (mode.kind === 'publicKeys') {
      const { verify, version, stop } = await openKeys(mode, settings, log)
      stops.push(stop)
      return createAuthentication({
        ...common,
        login: NO_AUTHENTICATION.login,
        verify,
        keysVersion: version,
      })
    }
    const issuer = await createIssuer(expectedClaims)
    const login = createLogin({
      readCredentials: createCredentialsReader(mode.path),
      checkPassword: pool.check,
      issuer,
      limits,
      audit,
      nowMs,
      reportError,
    })
    return createAuthentication({ ...common, login, verify: issuer.verify })
  }

  const [http, ws] = await Promise.all([open(ports[0], httpMode), open(ports[1], wsMode)])
  return {
    http,
    ws,
    close: async () => {
      for (const stop of stops) stop()
      await pool.close()
    },
  }
}
