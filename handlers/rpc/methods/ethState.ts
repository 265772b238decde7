import { EMPTY_BYTES, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { type Method, method } from './method.ts'
import { withSelector } from '../parameters/block.ts'
import { given, requireAddress, required, slotOf } from '../parameters/values.ts'
import { getProof } from '../state/proof.ts'
import { readState } from '../state/state.ts'

/** Accounts and their storage at any block. */
export const ETH_STATE_METHODS: readonly Method[] = [
  method('eth_getBalance', ['address', 'block?'], ({ params }, context) => {
    const [address, selector] = withSelector(params, 1, () => requireAddress(params, 0))
    return readState(context, selector, state => toQuantity(state.account(address)?.balance ?? 0n))
  }),
  method('eth_getTransactionCount', ['address', 'block?'], async ({ params }, context) => {
    const [address, selector] = withSelector(params, 1, () => requireAddress(params, 0))
    if (selector.kind === 'tag' && selector.tag === 'pending') {
      const next = context.pool.nextNonce(address)
      if (next !== undefined) return toQuantity(next)
    }
    const nonce = await readState(context, selector, state => state.account(address)?.nonce ?? 0n)
    return nonce === null ? null : toQuantity(nonce)
  }),
  method('eth_getCode', ['address', 'block?'], async ({ params }, context) => {
    const [address, selector] = withSelector(params, 1, () => requireAddress(params, 0))
    const code = await readState(context, selector, state => {
      const account = state.account(address)
      return account === undefined ? EMPTY_BYTES : state.code(account.codeHash)
    })
    return code === null ? null : toHex(code)
  }),
  method('eth_getStorageAt', ['address', 'position', 'block?'], async ({ params }, context) => {
    const [{ address, slot }, selector] = withSelector(params, 2, () => ({
      address: requireAddress(params, 0),
      slot: bigintToFixedBytes(required(slotOf(given(params, 1)), 'INVALID_POSITION'), 32),
    }))
    const value = await readState(context, selector, state => {
      const account = state.account(address)
      return account === undefined ? ZERO_HASH : state.storage(address, account, slot)
    })
    return value === null ? null : toHex(value)
  }),
  method('eth_getProof', ['address', 'storageKeys', 'block?'], getProof, { aside: 'always' }),
]
