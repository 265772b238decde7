import { accountKey, blockHashKey, headerKey, segmentKey, transactionKey } from '../../core/store/keys.ts'

/** A store key whose value the forked network has. Hex digits are without 0x. */
export type ForeignKey =
  /** `block` is the block after which the value holds. */
  | { readonly kind: 'account'; readonly address: string; readonly block: number }
  | { readonly kind: 'slot'; readonly address: string; readonly slot: string; readonly block: number }
  | { readonly kind: 'header' | 'segment'; readonly block: number }
  | { readonly kind: 'block' | 'transaction'; readonly hash: string }

const NUMBER = '(\\d+)'
const AT = '(?:@(\\d+))?'
/** Slots of a later incarnation belong to accounts that this chain created. */
const FIRST_INCARNATION = '0{16}'

/** The part of a key before its first variable digit. */
const prefixOf = (key: string): string => key.slice(0, key.indexOf(':') + 1)
const NOTHING = new Uint8Array(0)
const ACCOUNT = prefixOf(accountKey(NOTHING))
const PATTERNS = {
  account: new RegExp(`^${ACCOUNT}([0-9a-f]{40})${AT}$`),
  slot: new RegExp(`^s:([0-9a-f]{40})${FIRST_INCARNATION}([0-9a-f]{64})${AT}$`),
  header: new RegExp(`^${prefixOf(headerKey(0))}${NUMBER}$`),
  segment: new RegExp(`^${prefixOf(segmentKey(0))}${NUMBER}$`),
  block: new RegExp(`^${prefixOf(blockHashKey(NOTHING))}([0-9a-f]{64})$`),
  transaction: new RegExp(`^${prefixOf(transactionKey(''))}([0-9a-f]{64})$`),
} as const

/** The value to request from the forked network; undefined for a key that only this chain writes. */
export const foreignKeyOf = (key: string, forkBlock: number): ForeignKey | undefined => {
  const account = PATTERNS.account.exec(key)
  if (account !== null)
    return { kind: 'account', address: account[1] as string, block: Number(account[2] ?? forkBlock) }
  const slot = PATTERNS.slot.exec(key)
  if (slot !== null)
    return {
      kind: 'slot',
      address: slot[1] as string,
      slot: slot[2] as string,
      block: Number(slot[3] ?? forkBlock),
    }
  for (const kind of ['header', 'segment'] as const) {
    const found = PATTERNS[kind].exec(key)
    if (found !== null) return Number(found[1]) <= forkBlock ? { kind, block: Number(found[1]) } : undefined
  }
  for (const kind of ['block', 'transaction'] as const) {
    const found = PATTERNS[kind].exec(key)
    if (found !== null) return { kind, hash: found[1] as string }
  }
  return undefined
}
