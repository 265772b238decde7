import { EnodeError, hostKind, parseEnode } from '../../p2p/transport/enode.ts'
import { InvalidValue } from './option.ts'

/** Checks enode URLs. An empty value is an empty list, as in Besu. */
export const checkEnodes = (entries: readonly string[]): readonly string[] => {
  if (entries.length === 1 && entries[0] === '') return []
  for (const entry of entries) {
    try {
      parseEnode(entry)
    } catch (error) {
      if (!(error instanceof EnodeError)) throw error
      throw new InvalidValue(`: ${error.message}`)
    }
  }
  return entries
}

/** The advertised host: an address or, unlike Besu, a host name that is resolved at each dial. */
export const parseAdvertisedHost = (text: string): string => {
  if (hostKind(text) === undefined)
    throw new InvalidValue(`: '${text}' is neither an address nor a host name`)
  return text
}

/** The address to listen on. */
export const parseInterface = (text: string): string => {
  const kind = hostKind(text)
  if (kind !== 'ip4' && kind !== 'ip6')
    throw new InvalidValue(
      `: '${text}' is not a numeric address, such as 0.0.0.0 for all addresses of this machine`,
    )
  return text
}
