import { type Algorithm, ALGORITHMS } from '../../handlers/auth/algorithms.ts'
import { parseIpNetwork } from '../../handlers/auth/ipAddress.ts'
import { InvalidValue } from './option.ts'

/** One of the algorithms by which a public key verifies; letters of either case. */
export const parseAlgorithm = (text: string): Algorithm => {
  const upper = text.toUpperCase()
  const found = ALGORITHMS.find(algorithm => algorithm === upper)
  if (found !== undefined) return found
  if (upper === 'HS256')
    throw new InvalidValue(
      ': HS256 has one secret that signs and verifies, so no public key can serve it; have the tokens signed with RS256 or ES256',
    )
  throw new InvalidValue(`: expected one of [${ALGORITHMS.join(', ')}] (case-insensitive) but was '${text}'`)
}

/** IP addresses and networks of proxies. */
export const checkProxies = (entries: readonly string[]): readonly string[] => {
  const wrong = entries.find(entry => parseIpNetwork(entry) === undefined)
  if (wrong !== undefined)
    throw new InvalidValue(`: '${wrong}' is neither an IP address nor a network such as 10.0.0.0/8`)
  return entries
}
