import { EMPTY_BYTES, ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import { hexPieces } from '../../json/hexPieces.ts'
import { type Method, method } from '../../method.ts'
import { withSelector } from '../../parameters/block.ts'
import { given, requireAddress, required, slotOf } from '../../parameters/values.ts'
import { getProof } from '../../state/proof.ts'
import { readState } from '../../state/state.ts'

/** Accounts and their storage at any block. */
export const ETH_STATE_METHODS: readonly Method[] = [
  method({
    name: 'eth_getBalance',
    summary: 'Returns the balance of an account, in wei',
    params: { address: 'Address', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Count',
    handle: ({ params }, context) => {
      const [address, selector] = withSelector(params, 1, () => requireAddress(params, 0))
      return readState(context, selector, state => toQuantity(state.account(address)?.balance ?? 0n))
    },
  }),
  method({
    name: 'eth_getTransactionCount',
    summary: 'Returns the next nonce of an account; `pending` includes the pool',
    params: { address: 'Address', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Count',
    handle: async ({ params }, context) => {
      const [address, selector] = withSelector(params, 1, () => requireAddress(params, 0))
      if (selector.kind === 'tag' && selector.tag === 'pending') {
        const next = context.pool.nextNonce(address)
        if (next !== undefined) return toQuantity(next)
      }
      const nonce = await readState(context, selector, state => state.account(address)?.nonce ?? 0n)
      return nonce === null ? null : toQuantity(nonce)
    },
  }),
  method({
    name: 'eth_getCode',
    summary: 'Returns the code of an account',
    params: { address: 'Address', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Data',
    handle: async ({ params }, context) => {
      const [address, selector] = withSelector(params, 1, () => requireAddress(params, 0))
      const code = await readState(context, selector, state => {
        const account = state.account(address)
        return account === undefined ? EMPTY_BYTES : state.code(account.codeHash)
      })
      return code === null ? null : hexPieces(code)
    },
  }),
  method({
    name: 'eth_getStorageAt',
    summary: 'Returns the value of a storage slot',
    params: { address: 'Address', position: 'Slot', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Hash',
    handle: async ({ params }, context) => {
      const [{ address, slot }, selector] = withSelector(params, 2, () => ({
        address: requireAddress(params, 0),
        slot: bigintToFixedBytes(required(slotOf(given(params, 1)), 'INVALID_POSITION'), 32),
      }))
      const value = await readState(context, selector, state => {
        const account = state.account(address)
        return account === undefined ? ZERO_HASH : state.storage(address, account, slot)
      })
      return value === null ? null : toHex(value)
    },
  }),
  method({
    name: 'eth_getProof',
    summary: 'Returns an account and storage slots with their Merkle proofs (EIP-1186)',
    params: { address: 'Address', storageKeys: 'Slots', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Object',
    handle: getProof,
    offload: 'always',
  }),
]
