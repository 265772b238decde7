import { equalBytes, ZERO_HASH } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import type { Header } from '../../block/header.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import type { Rules } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import type { Account, AccountChange, StateChanges, StateReader } from '../../state/account.ts'
import { InvalidBlock, requireSameBytes, requireSameNumber } from '../rules/invalidBlock.ts'

const isSameAccount = (a: Account | undefined, b: Account | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.nonce === b.nonce &&
      a.balance === b.balance &&
      a.incarnation === b.incarnation &&
      equalBytes(a.codeHash, b.codeHash) &&
      equalBytes(a.storageRoot, b.storageRoot)

type Given = {
  readonly header: Header
  readonly rules: Pick<Rules, 'fork'>
  readonly state: StateReader
}

const refuse = (header: Header, what: string): never => {
  throw new InvalidBlock(header, 'state-root', 'changes of the state before the block', what)
}

/** Each slot once, and each changed. */
const requireSlots = (
  { header, state }: Given,
  { address, after, slots }: AccountChange,
  isReset: boolean,
): void => {
  const seen = new Set<string>()
  for (const { slot, before, after: value } of slots) {
    const key = toBareHex(slot)
    if (seen.has(key) || equalBytes(before, value))
      refuse(header, 'a slot twice, or one that does not change')
    seen.add(key)
    const current = isReset || after === undefined ? ZERO_HASH : state.storage(address, after, slot)
    if (!equalBytes(before, current)) refuse(header, 'another slot before it')
  }
}

const requireBefore = (given: Given, change: AccountChange): void => {
  const { header, rules, state } = given
  const { address, before, after, slots } = change
  const current = state.account(address)
  if (!isSameAccount(before, current)) refuse(header, 'another account before it')
  if (isSameAccount(before, after) && slots.length === 0) refuse(header, 'an account that does not change')
  if (after === undefined && slots.length > 0) refuse(header, 'slots of an account that no longer exists')
  const isReset = after !== undefined && after.incarnation === header.number
  if (after !== undefined && !isReset && after.incarnation !== current?.incarnation)
    refuse(header, 'another incarnation of an account')
  // A storage ends with its account: from EIP-6780 on only within the transaction that created it.
  const mayReset =
    current === undefined ||
    (!equalBytes(current.storageRoot, EMPTY_TRIE_ROOT) && !forkIsAtLeast(rules.fork, 'cancun'))
  if (isReset && !mayReset) refuse(header, 'another incarnation of an account')
  requireSlots(given, change, isReset)
}

/** The state root covers the hash of a code alone: without the code the chain could not go on. */
const requireCodes = ({ header }: Given, { accounts, codes }: StateChanges): void => {
  const deployed = new Set<string>()
  for (const { before, after } of accounts)
    if (after !== undefined && !equalBytes(after.codeHash, before?.codeHash ?? EMPTY_CODE_HASH))
      deployed.add(toBareHex(after.codeHash))
  deployed.delete(toBareHex(EMPTY_CODE_HASH))
  requireSameNumber(header, 'state-root', BigInt(codes.length), BigInt(deployed.size))
  for (const { codeHash, code } of codes) {
    if (!deployed.delete(toBareHex(codeHash))) refuse(header, 'a code that no account has')
    requireSameBytes(header, 'state-root', keccak256(code), codeHash)
  }
}

/**
 * Checks what the state root does not cover: it covers the values after the block. Those before it, for later reads, are compared
 * with the state; incarnations and codes with the changes. @throws InvalidBlock
 */
export const checkGivenChanges = (
  header: Header,
  changes: StateChanges,
  rules: Pick<Rules, 'fork'>,
  state: StateReader,
): void => {
  const given = { header, rules, state }
  const seen = new Set<string>()
  for (const change of changes.accounts) {
    const key = toBareHex(change.address)
    if (seen.has(key)) refuse(header, 'an account twice')
    seen.add(key)
    requireBefore(given, change)
  }
  requireCodes(given, changes)
}
