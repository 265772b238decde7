import { InvalidValue } from '../option.ts'
import { API_GROUPS, unknownApiGroups } from './apiGroups.ts'

/** Groups that Besu had, by why this node has none of their methods. */
const REMOVED_GROUPS: readonly (readonly [groups: readonly string[], reason: string])[] = [
  [['EEA', 'PRIV'], 'this node has no private transactions, which Besu removed, too'],
  [['CLIQUE'], 'this node has no Clique'],
]

export const checkApiGroups = (entries: readonly string[]): readonly string[] => {
  const unknown = unknownApiGroups(entries)
  const reasons = REMOVED_GROUPS.flatMap(([groups, reason]) => {
    const given = groups.filter(group => unknown.includes(group))
    return given.length === 0 ? [] : [`leave out ${given.join(' and ')}: ${reason}`]
  })
  const isRemoved = (entry: string): boolean => REMOVED_GROUPS.some(([groups]) => groups.includes(entry))
  const invalid = unknown.filter(entry => !isRemoved(entry))
  if (invalid.length > 0)
    reasons.push(`invalid entries found [${invalid.join(', ')}], the groups are ${API_GROUPS.join(', ')}`)
  if (reasons.length > 0) throw new InvalidValue(`: ${reasons.join('; ')}`)
  return [...new Set(entries)]
}

const checkAllOrNone = (entries: readonly string[], what: 'hostnames' | 'domains'): readonly string[] => {
  const one = what === 'hostnames' ? 'Hostname' : 'Domain'
  if (entries.some(entry => entry === ''))
    throw new InvalidValue(`: ${one} cannot be empty string or null string.`)
  const words = entries.map(entry => entry.toLowerCase())
  if (words.includes('none')) {
    if (entries.length > 1) throw new InvalidValue(`: Value 'none' can't be used with other ${what}`)
    return []
  }
  if (words.includes('*') || words.includes('all')) {
    if (entries.length > 1) throw new InvalidValue(`: Values '*' or 'all' can't be used with other ${what}`)
    return ['*']
  }
  return entries
}

/** Checks host names; `*` allows every host, an empty list none. */
export const checkHostAllowlist = (entries: readonly string[]): readonly string[] =>
  checkAllOrNone(entries, 'hostnames').map(entry => entry.toLowerCase())

/** Checks regular expressions that match whole origins; `*` allows every origin. */
export const checkCorsOrigins = (entries: readonly string[]): readonly string[] => {
  const origins = checkAllOrNone(entries, 'domains')
  if (origins[0] === '*') return origins
  try {
    for (const origin of origins) void new RegExp(`^(?:${origin})$`)
  } catch {
    // The messages of the engines differ between runtimes; this is Besu's text.
    throw new InvalidValue(': Domain values result in invalid regex pattern')
  }
  return origins
}

/** Up to 32 bytes in hex. */
export const parseExtraData = (text: string): string => {
  if (!/^0x([0-9a-f]{2}){0,32}$/i.test(text))
    throw new InvalidValue(`: '${text}' is not hex of at most 32 bytes, such as 0x71756f72617465`)
  return text
}
