import { EnodeError, hostKind, parseEnode } from '../../p2p/transport/enode.ts'
import { InvalidValue } from './option.ts'

/** enode URLs; an empty list where the value is empty, as in Besu. */
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

/** What others are told to dial: an address or, as Besu does not, a name that is looked up at each dial. */
export const parseAdvertisedHost = (text: string): string => {
  if (hostKind(text) === undefined)
    throw new InvalidValue(`: '${text}' is neither an address nor a host name`)
  return text
}

/** What is listened on: one of the machine's addresses. */
export const parseInterface = (text: string): string => {
  const kind = hostKind(text)
  if (kind !== 'ip4' && kind !== 'ip6')
    throw new InvalidValue(`: '${text}' is not a numeric address, such as 0.0.0.0 for all of this machine's`)
  return text
}
