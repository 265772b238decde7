import { ALGORITHMS, type Algorithm } from '../../handlers/auth/keys/algorithms.ts'
import { createAudit } from '../../handlers/auth/audit.ts'
import { type Authentication, NO_AUTHENTICATION } from '../../handlers/auth/authentication.ts'
import { createAuthentication } from '../../handlers/auth/createAuthentication.ts'
import { LOGIN_BYTES_MAX } from '../../handlers/auth/login/loginLimits.ts'
import { parsePublicKey } from '../../handlers/auth/keys/publicKey.ts'
import { createVerifySignature } from '../../handlers/auth/tokens/verifyToken.ts'
import { createReadBody, refuseBody } from '../../handlers/inbound/body.ts'
import type { WorkerEnvironment } from './environment.ts'
import { SettingsError, type Settings } from './settings.ts'
import { reportFailure, reportWarning } from './report.ts'

/** The node counts failed logins by the address of the client, where it trusts this Worker as a proxy. */
const loginHeadersOf = ({ headers }: Request): Record<string, string> => {
  const [type, client] = [headers.get('content-type'), headers.get('cf-connecting-ip')]
  return {
    ...(type === null ? {} : { 'content-type': type }),
    ...(client === null ? {} : { 'x-forwarded-for': client }),
  }
}

/** Checking a password takes more CPU than a Worker has: the node that signs the tokens answers logins. */
const loginOf = ({ upstream, timeoutMs }: Settings): Authentication['login'] => {
  if (upstream === undefined) return NO_AUTHENTICATION.login
  const readBody = createReadBody({ bytesMax: LOGIN_BYTES_MAX })
  return async request => {
    const body = await readBody(request, () => true)
    if (typeof body !== 'string') return refuseBody(body)
    try {
      return await fetch(new URL('/login', upstream), {
        method: 'POST',
        headers: loginHeadersOf(request),
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
    } catch (error) {
      reportFailure('The login at the upstream node failed', error)
      return new Response('the upstream node does not answer\n', { status: 503 })
    }
  }
}

const isAlgorithm = (name: string): name is Algorithm => (ALGORITHMS as readonly string[]).includes(name)

/** Read access: public, or with a token signed by the key of the deployment. @throws SettingsError */
export const openWorkerAccess = async (
  env: WorkerEnvironment,
  settings: Settings,
): Promise<Authentication> => {
  const { JWT_PUBLIC_KEY: pem = '', JWT_ALGORITHM: algorithm = 'RS256' } = env
  const login = loginOf(settings)
  if (pem === '') return { ...NO_AUTHENTICATION, login }
  if (!isAlgorithm(algorithm))
    throw new SettingsError('JWT_ALGORITHM', `'${algorithm}' is not one of ${ALGORITHMS.join(', ')}`)
  return createAuthentication({
    login,
    verify: await createVerifySignature(parsePublicKey(pem, algorithm), algorithm),
    openMethods: [],
    acceptsSubprotocol: false,
    audit: createAudit({
      denied: ({ who, what, from }) => reportWarning(`Denied ${what} to ${who} from ${from}`),
      loggedIn: () => undefined,
      suppressed: count => reportWarning(`${count} more denials in the last minute`),
    }),
    nowMs: () => Date.now(),
  })
}
