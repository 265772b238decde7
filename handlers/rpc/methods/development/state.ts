import { isObject } from '../../../../core/json.ts'
import { toQuantity } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import type { StateEdit } from '../../../../core/state/edits.ts'
import type { ForkingRequest } from '../../development/development.ts'
import type { RpcContext } from '../../context.ts'
import { developmentOf } from '../../development/signing.ts'
import { RpcError } from '../../errors.ts'
import {
  prefixedBytesOf,
  flagOf,
  given,
  decimalOrHexOf,
  integerOf,
  required,
  requireAddress,
} from '../../parameters/values.ts'
import { type Call, developmentMethod, developmentSetter, type Method, type Params } from '../../method.ts'
import { LATEST } from '../../parameters/block.ts'
import { readState } from '../../state/state.ts'
import { refusing } from './refusing.ts'

const edit =
  (read: (params: Params) => StateEdit) =>
  ({ params }: Call, context: RpcContext): Promise<void> => {
    const wanted = read(params)
    return refusing(() => developmentOf(context).edit(wanted))
  }

/** Largest balance. */
const WEI_MAX = 2n ** 256n - 1n

const wordOf = (integer: bigint | undefined): Uint8Array =>
  bigintToFixedBytes(required(integer, 'INVALID_PARAMS'), 32)

/** The network that a reset asks for; clients send `forking` without a URL and with a block of null, too. */
const forkingOf = (request: unknown): ForkingRequest | undefined => {
  if (!isObject(request) || !isObject(request['forking'])) return undefined
  const { jsonRpcUrl: url, blockNumber } = request['forking']
  const isUrl = typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '')
  if (!isUrl && url !== undefined && url !== null) throw new RpcError('INVALID_PARAMS')
  const block =
    blockNumber === undefined || blockNumber === null
      ? undefined
      : Number(required(decimalOrHexOf(blockNumber, 53), 'INVALID_PARAMS'))
  return { url: isUrl ? url : undefined, block }
}

const reset = ({ params }: Call, context: RpcContext): Promise<void> => {
  const request = given(params, 0)
  if (request !== undefined && !isObject(request)) throw new RpcError('INVALID_PARAMS')
  const forking = forkingOf(request)
  return refusing(() => developmentOf(context).reset(forking))
}

const setStorage = edit(params => ({
  kind: 'slot',
  address: requireAddress(params, 0),
  slot: wordOf(decimalOrHexOf(given(params, 1))),
  value: wordOf(integerOf(given(params, 2))),
}))

/** One row each for anvil and for Hardhat. */
const both = (name: string, row: Parameters<typeof developmentSetter>[1]): readonly Method[] =>
  developmentSetter([`anvil_${name}`, `hardhat_${name}`], row)

const impersonation = (name: string, summary: string, isOn: boolean): readonly Method[] =>
  both(name, {
    summary,
    params: { account: 'Address' },
    apply: ({ params }, context) => {
      const account = requireAddress(params, 0)
      return refusing(() => developmentOf(context).impersonate(account, isOn))
    },
  })

/** The state, the accounts and the snapshots of a development chain, as in anvil and Hardhat. */
export const DEV_STATE_METHODS: readonly Method[] = [
  ...both('setBalance', {
    summary: 'Sets the balance of an account',
    params: { address: 'Address', balance: 'DecimalWei' },
    apply: edit(params => ({
      kind: 'balance',
      address: requireAddress(params, 0),
      wei: required(decimalOrHexOf(given(params, 1)), 'INVALID_PARAMS'),
    })),
  }),
  ...both('addBalance', {
    summary: 'Adds to the balance of an account',
    params: { address: 'Address', wei: 'DecimalWei' },
    apply: async ({ params }, context) => {
      const address = requireAddress(params, 0)
      const added = required(decimalOrHexOf(given(params, 1)), 'INVALID_PARAMS')
      const balance = await readState(context, LATEST, state => state.account(address)?.balance ?? 0n)
      const wei = (balance ?? 0n) + added
      if (wei > WEI_MAX) throw new RpcError('INVALID_PARAMS', { detail: 'the sum exceeds 256 bits' })
      return refusing(() => developmentOf(context).edit({ kind: 'balance', address, wei }))
    },
  }),
  ...developmentSetter(['anvil_setNonce', 'hardhat_setNonce', 'evm_setAccountNonce'], {
    summary: 'Sets the nonce of an account',
    params: { address: 'Address', nonce: 'Integer' },
    apply: edit(params => ({
      kind: 'nonce',
      address: requireAddress(params, 0),
      nonce: required(decimalOrHexOf(given(params, 1), 63), 'INVALID_PARAMS'),
    })),
  }),
  ...both('setCode', {
    summary: 'Sets the code of an account',
    params: { address: 'Address', code: 'Data' },
    apply: edit(params => ({
      kind: 'code',
      address: requireAddress(params, 0),
      code: required(prefixedBytesOf(given(params, 1)), 'INVALID_PARAMS'),
    })),
  }),
  // Both tools answer true.
  ...developmentMethod(['anvil_setStorageAt', 'hardhat_setStorageAt'], {
    summary: 'Sets a storage slot of an account',
    params: { address: 'Address', slot: 'DecimalSlot', value: 'Key' },
    result: 'Boolean',
    handle: async (call, context) => {
      await setStorage(call, context)
      return true
    },
  }),
  ...impersonation('impersonateAccount', 'Lets transactions be sent from an account without its key', true),
  ...impersonation('stopImpersonatingAccount', 'Ends an impersonation', false),
  ...developmentSetter(['anvil_autoImpersonateAccount', 'hardhat_autoImpersonateAccount'], {
    summary: 'Sets whether transactions may be sent from any account without its key',
    params: { isOn: 'Flag' },
    apply: ({ params }, context) => {
      const isOn = required(flagOf(given(params, 0)), 'INVALID_PARAMS')
      developmentOf(context).impersonateAll(isOn)
    },
  }),
  ...both('reset', {
    summary: 'Begins again at the genesis block or at a block of a forked network, with an empty pool',
    params: { 'request?': 'ResetRequest' },
    apply: reset,
  }),
  ...developmentSetter(['anvil_rollback'], {
    summary: 'Reverts the last blocks, one if no number is given',
    params: { 'blocks?': 'Integer' },
    apply: ({ params }, context) => {
      const depth = required(decimalOrHexOf(given(params, 0) ?? 1, 63), 'INVALID_PARAMS')
      return refusing(() => developmentOf(context).rollBack(depth))
    },
  }),
  ...developmentMethod(['evm_snapshot', 'anvil_snapshot'], {
    summary: 'Takes a snapshot of the chain, the pool and the clock; returns its number',
    params: {},
    result: 'Quantity',
    handle: (_, context) => toQuantity(developmentOf(context).snapshot()),
  }),
  ...developmentMethod(['evm_revert', 'anvil_revert'], {
    summary: 'Reverts to a snapshot and deletes it and later ones; false for an unknown one',
    params: { snapshot: 'Integer' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const snapshot = required(decimalOrHexOf(given(params, 0), 63), 'INVALID_PARAMS')
      return refusing(() => developmentOf(context).revert(snapshot))
    },
  }),
]
