import { readFileSync } from 'node:fs'
import process from 'node:process'
import type { Algorithm } from '../../../handlers/auth/keys/algorithms.ts'
import { createAuthentication } from '../../../handlers/auth/createAuthentication.ts'
import { NO_AUTHENTICATION } from '../../../handlers/auth/authentication.ts'
import { parsePublicKey } from '../../../handlers/auth/keys/publicKey.ts'
import { createVerifySignature } from '../../../handlers/auth/tokens/verifyToken.ts'

/** One token to be judged: what a node was given, and what a client shows. */
export type TokenCase = {
  readonly name: string
  readonly pem: string
  readonly algorithm: Algorithm
  readonly token: string
}

/** Run as a program on each runtime: reads cases from a file and prints the names of those that are taken. */
const main = async (path: string): Promise<void> => {
  const cases = JSON.parse(readFileSync(path, 'utf8')) as readonly TokenCase[]
  const taken: string[] = []
  for (const { name, pem, algorithm, token } of cases) {
    const { identify } = createAuthentication({
      login: NO_AUTHENTICATION.login,
      verify: await createVerifySignature(parsePublicKey(pem, algorithm), algorithm),
      openMethods: [],
      acceptsSubprotocol: false,
      audit: { denied: () => undefined, loggedIn: () => undefined },
      nowMs: () => Date.now(),
    })
    const identity = await identify(`Bearer ${token}`, () => '')
    if (identity.permits({ name: 'eth_call', permission: 'eth:call' })) taken.push(name)
  }
  process.stdout.write(`${JSON.stringify(taken)}\n`)
}

const [, , path] = process.argv
if (path !== undefined && import.meta.main) await main(path)
