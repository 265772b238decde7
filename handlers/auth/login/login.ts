import { isObject } from '../../../core/json.ts'
import { createReadBody, refuseBody } from '../../inbound/body.ts'
import type { Audit } from '../audit.ts'
import type { ClientAddress } from '../authentication.ts'
import { type Credentials, type User, USERNAME_LENGTH_MAX } from './credentials.ts'
import type { Issuer } from './issuer.ts'
import * as answers from './loginAnswers.ts'
import { LOGIN_BYTES_MAX, type LoginLimits } from './loginLimits.ts'
import {
  type CheckPassword,
  COST_DEFAULT,
  bcryptCost,
  dummyHash,
  type PasswordClient,
  passwordProblem,
} from './password.ts'

export type LoginParts = {
  /** Reads the file again. @throws where it cannot be read or is invalid */
  readonly readCredentials: () => Promise<Credentials> | Credentials
  readonly checkPassword: CheckPassword
  readonly issuer: Pick<Issuer, 'issue'>
  readonly limits: LoginLimits
  readonly audit: Audit
  readonly nowMs: () => number
  /** Reports an error of the node itself. */
  readonly reportError: (what: string, error: unknown) => void
}

/** The transport limits how many bodies are read at the same time. */
const readBody = createReadBody({ bytesMax: LOGIN_BYTES_MAX })

type LoginRequest = { readonly username: string; readonly password: string }

/** The login request of the body, or the answer to an invalid one. */
const readRequest = async (request: Request): Promise<LoginRequest | Response> => {
  const body = await readBody(request, () => true)
  if (typeof body !== 'string') return body.reason === 'too-long' ? answers.tooLong() : refuseBody(body)
  if (body === '') return answers.incomplete()
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return answers.malformed()
  }
  if (!isObject(value)) return answers.malformed()
  const { username, password } = value
  if (username === undefined || username === null || password === undefined || password === null)
    return answers.incomplete()
  return typeof username === 'string' && typeof password === 'string'
    ? { username, password }
    : answers.notText()
}

const isFull = (error: unknown): boolean => (error as { code?: unknown }).code === 'PASSWORD_QUEUE_FULL'

/** The highest cost of a hash in the file; every failed login takes that long. */
const failCostOf = ({ users }: Credentials): number =>
  users.reduce((most, { passwordHash }) => Math.max(most, bcryptCost(passwordHash) ?? 0), 0) || COST_DEFAULT

/** The user with that password; an unknown user takes the same time and has the same result. */
const userOf = async (
  checkPassword: CheckPassword,
  credentials: Credentials,
  password: string,
  client: PasswordClient,
): Promise<User | undefined> => {
  const user = credentials.find(client.username)
  const failCost = failCostOf(credentials)
  const hash =
    user === undefined || bcryptCost(user.passwordHash) === undefined ? undefined : user.passwordHash
  const matches = await checkPassword({ password, hash: hash ?? dummyHash(failCost), failCost }, client)
  return matches && hash !== undefined ? user : undefined
}

/** Checks the password and issues the token. */
const attempt = async (
  { readCredentials, checkPassword, issuer, audit, nowMs, reportError }: LoginParts,
  password: string,
  client: PasswordClient,
  from: string,
): Promise<Response> => {
  const { username } = client
  let credentials: Credentials
  try {
    credentials = await readCredentials()
  } catch (error) {
    reportError('The credentials file', error)
    audit.denied({ who: 'nobody, as the credentials file cannot be read', what: 'login', from })
    return answers.incorrect()
  }
  const user =
    passwordProblem(password) === undefined
      ? await userOf(checkPassword, credentials, password, client)
      : undefined
  if (user === undefined) {
    // An unknown user name may be a password typed in the wrong field, so it is not logged.
    const who = credentials.find(username) === undefined ? 'an unknown user' : username
    audit.denied({ who, what: 'login', from })
    return answers.incorrect()
  }
  const token = await issuer.issue(user, nowMs())
  audit.loggedIn({ who: username, from })
  return answers.loggedIn(token)
}

/** Besu's POST /login: issues a token of five minutes to a user of the credentials file. */
export const createLogin = (
  parts: LoginParts,
): ((request: Request, client: ClientAddress) => Promise<Response>) => {
  const { limits, audit, reportError } = parts
  return async (request, client) => {
    const from = client()
    const login = await readRequest(request)
    if (login instanceof Response) return login
    const isPlausible = login.username.length <= USERNAME_LENGTH_MAX
    const admission = limits.admit(from, isPlausible ? login.username : '')
    if (admission.kind !== 'admitted') {
      audit.denied({ who: 'nobody, as too many logins failed or are under way', what: 'login', from })
      return admission.kind === 'busy' ? answers.tooBusy() : answers.tooManyFailures(admission.retrySeconds)
    }
    try {
      if (!isPlausible) {
        audit.denied({ who: 'an unknown user', what: 'login', from })
        return answers.incorrect()
      }
      const response = await attempt(parts, login.password, admission.attempt.client, from)
      if (response.ok) admission.attempt.succeeded()
      return response
    } catch (error) {
      admission.attempt.unchecked()
      if (isFull(error)) {
        audit.denied({ who: 'nobody, as too many logins are under way', what: 'login', from })
        return answers.tooBusy()
      }
      reportError('Login', error)
      return answers.internalError()
    } finally {
      admission.attempt.settled()
    }
  }
}
