import { ALGORITHMS, type Algorithm } from '../../handlers/auth/keys/algorithms.ts'
import { createAudit } from '../../handlers/auth/audit.ts'
import { type Authentication, NO_AUTHENTICATION } from '../../handlers/auth/authentication.ts'
import { createAuthentication } from '../../handlers/auth/createAuthentication.ts'
import { parsePublicKey } from '../../handlers/auth/keys/publicKey.ts'
import { createVerifySignature } from '../../handlers/auth/tokens/verifyToken.ts'
import type { WorkerEnvironment } from './environment.ts'
import { SettingsError, type Settings } from './settings.ts'

/** Checking a password takes more CPU than a Worker has: the node that signs the tokens answers logins. */
const loginOf =
  ({ upstream }: Settings): Authentication['login'] =>
  (request, client) =>
    upstream === undefined
      ? NO_AUTHENTICATION.login(request, client)
      : fetch(new Request(new URL('/login', upstream), request))

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
      denied: ({ who, what, from }) => console.warn(`Denied ${what} to ${who} from ${from}`),
      loggedIn: () => undefined,
      suppressed: count => console.warn(`${count} more denials in the last minute`),
    }),
    nowMs: () => Date.now(),
  })
}
