import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { transactionOf } from '../../../core/block/codec/transaction.ts'
import type { UnsignedTransaction } from '../../../core/block/codec/transactionItem.ts'
import { sign } from '../../../core/crypto/crypto.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../core/genesis/development/accounts.ts'
import { DevelopmentRefused, type RpcDevelopment } from '../../../handlers/rpc/development/development.ts'

type Accounts = Pick<
  RpcDevelopment,
  'accounts' | 'signHash' | 'signTransaction' | 'impersonate' | 'impersonateAll' | 'unsigned'
>

/** Impersonated accounts: a test names a few. */
const IMPERSONATED_MAX = 10_000

const KEYS: ReadonlyMap<string, Uint8Array> = new Map(
  DEVELOPMENT_ACCOUNTS.map(({ address, privateKey }) => [toBareHex(address), privateKey]),
)

/**
 * A transaction of an account without its key. The sender stands in the place of r, so that transactions of two senders
 * differ; nobody can recover a sender from it, and only this chain accepts it.
 */
const unsignedBy = (sender: Address, fields: UnsignedTransaction) =>
  transactionOf({ ...fields, yParity: 0, r: bytesToBigint(sender) + 1n, s: 1n })

/** The unlocked and the impersonated accounts of a development chain. */
export const createAccounts = (): Accounts => {
  const impersonated = new Set<string>()
  let all = false
  return {
    accounts: DEVELOPMENT_ACCOUNTS.map(({ address }) => address),
    signHash: (account, hash) => {
      const key = KEYS.get(toBareHex(account))
      return key === undefined ? undefined : sign(hash, key)
    },
    signTransaction: (sender, fields) => {
      const name = toBareHex(sender)
      const key = KEYS.get(name)
      if (key !== undefined) return { transaction: signTransaction(fields, key), sender }
      return all || impersonated.has(name) ? { transaction: unsignedBy(sender, fields), sender } : undefined
    },
    impersonate: (account, isOn) => {
      const name = toBareHex(account)
      if (!isOn) impersonated.delete(name)
      else if (impersonated.size < IMPERSONATED_MAX) impersonated.add(name)
      else throw new DevelopmentRefused(`more than ${IMPERSONATED_MAX} accounts are impersonated`)
    },
    unsigned: (sender, fields) => ({ transaction: unsignedBy(sender, fields), sender }),
    impersonateAll: isOn => {
      all = isOn
    },
  }
}
