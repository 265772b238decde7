import { createValue } from './value.ts'

const KEY = 'quorate-token'

/** Kept for this tab alone, so that it survives a reload and ends with the tab. */
export const token = createValue<string | undefined>(sessionStorage.getItem(KEY) ?? undefined)

/** True once a request was refused because it had no valid token. */
export const loginNeeded = createValue(false)

/** True after the node refused the token of a request. */
export const tokenRefused = createValue(false)

/** Notes that the node refused a request without a valid token. @param given the token of the request */
export const requireLogin = (given: string | undefined): void => {
  // The answer to a request from before a login says nothing about the token of now.
  if (given !== token.get()) return
  tokenRefused.set(given !== undefined)
  loginNeeded.set(true)
}

export const setToken = (value: string | undefined): void => {
  if (value === undefined) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, value)
  token.set(value)
  tokenRefused.set(false)
  loginNeeded.set(false)
}

const answerText = (status: number, retryAfter: string | null): string => {
  if (status === 401) return 'User name or password is wrong.'
  if (status === 429)
    return `Too many logins failed. Try again${retryAfter === null ? ' later' : ` in ${retryAfter} seconds`}.`
  if (status === 400 || status === 404 || status === 405)
    return 'This node has no users: paste a token of its issuer instead.'
  return `The login failed with status ${status}.`
}

/** Gets a token for a user of this node. Returns the reason when there is none. */
export const login = async (username: string, password: string): Promise<string | undefined> => {
  const response = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (!response.ok) return answerText(response.status, response.headers.get('retry-after'))
  const { token: issued } = (await response.json()) as { readonly token?: unknown }
  if (typeof issued !== 'string') return 'The answer of the node has no token.'
  setToken(issued)
  return undefined
}
