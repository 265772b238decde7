/** Answers of POST /login, with Besu's status lines and texts. */

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(body, { status, headers: { 'content-type': 'text/plain', ...headers } })

export const loggedIn = (token: string): Response =>
  new Response(JSON.stringify({ token }), { status: 200, headers: { 'content-type': 'application/json' } })

/** Authentication is off, or this node only verifies tokens that others issue. */
export const notEnabled = (): Response =>
  new Response(null, { status: 400, statusText: 'Authentication not enabled' })

export const incomplete = (): Response =>
  text(400, 'Authentication failed: username and password are required.')

/** A user name or a password of another JSON type; Besu answers it with 401. */
export const notText = (): Response =>
  text(400, 'Authentication failed: username and password must be strings.')

/** One answer for an unknown user and a wrong password. */
export const incorrect = (): Response =>
  text(401, 'Authentication failed: the username or password is incorrect.')

/** The body is not a JSON object; Besu answers it with 500. */
export const malformed = (): Response => text(400, 'Authentication failed: the body must be a JSON object.')

/** An error of the node itself. */
export const internalError = (): Response => text(500, 'Internal Server Error')

/** Besu has no such limit. */
export const tooLong = (): Response => text(413, 'Authentication failed: the request is too long.')

const wait = (seconds: number): Readonly<Record<string, string>> => ({ 'retry-after': String(seconds) })

/** Besu has no such limit. */
export const tooManyFailures = (seconds: number): Response =>
  text(429, `Authentication failed: too many failed logins, try again in ${seconds} seconds.`, wait(seconds))

/** Besu has no such limit. */
export const tooBusy = (): Response =>
  text(503, 'Authentication failed: too many logins at once, try again in 1 second.', wait(1))
