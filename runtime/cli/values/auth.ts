import { type Algorithm, ALGORITHMS } from '../../../handlers/auth/keys/algorithms.ts'
import { parseIpNetwork } from '../../../handlers/auth/ipAddress.ts'
import { InvalidValue } from '../option.ts'

/** A signature algorithm with public keys; case-insensitive. */
export const parseAlgorithm = (text: string): Algorithm => {
  const upper = text.toUpperCase()
  const found = ALGORITHMS.find(algorithm => algorithm === upper)
  if (found !== undefined) return found
  if (upper === 'HS256')
    throw new InvalidValue(
      ': HS256 signs and verifies with one secret and has no public key; use tokens signed with RS256 or ES256',
    )
  throw new InvalidValue(`: expected one of [${ALGORITHMS.join(', ')}] (case-insensitive) but was '${text}'`)
}

/** Checks the IP addresses and networks of proxies. */
export const checkProxies = (entries: readonly string[]): readonly string[] => {
  const wrong = entries.find(entry => parseIpNetwork(entry) === undefined)
  if (wrong !== undefined)
    throw new InvalidValue(`: '${wrong}' is neither an IP address nor a network such as 10.0.0.0/8`)
  return entries
}
