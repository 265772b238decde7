import { isObject } from '../../../../core/json.ts'
import { ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import { chainConfig } from '../../config/chainConfig.ts'
import { recordOf } from '../../blocks/blockWithReceipts.ts'
import { RpcError } from '../../errors.ts'
import { type Method, method } from '../../method.ts'
import { nextHeadOf } from '../../fees/nextHead.ts'
import { readSelector, withSelector } from '../../parameters/block.ts'
import { addressOf, given, required, slotOf } from '../../parameters/values.ts'
import { TRIE_BLOCKS_MAX } from '../../state/trieAt.ts'
import { readState } from '../../state/state.ts'

/** Maximum number of slots of one eth_getStorageValues over all accounts. */
const STORAGE_VALUES_MAX = 1024

type Request = { readonly name: string; readonly address: Uint8Array; readonly slots: readonly Uint8Array[] }

const readSlots = (keys: unknown): readonly Uint8Array[] => {
  const slots = Array.isArray(keys) ? keys.map(slotOf) : [undefined]
  return slots.map(slot => {
    if (slot === undefined)
      throw new RpcError('INVALID_STORAGE_KEYS', {
        data: 'slotsByAddress: lists of storage slots, each 0x and at most 64 hex digits',
      })
    return bigintToFixedBytes(slot, 32)
  })
}

const readRequests = (value: unknown): readonly Request[] => {
  if (!isObject(value)) throw new RpcError('INVALID_PARAMS')
  const requests = Object.entries(value).map(([name, keys]): Request => {
    const address = addressOf(name)
    if (address === undefined)
      throw new RpcError('INVALID_ADDRESS', { data: 'slotsByAddress: each name is an address of 20 bytes' })
    return { name, address, slots: readSlots(keys) }
  })
  const count = requests.reduce((sum, { slots }) => sum + slots.length, 0)
  if (count === 0 || count > STORAGE_VALUES_MAX)
    throw new RpcError('INVALID_PARAMS', { detail: `slotsByAddress: from 1 to ${STORAGE_VALUES_MAX} slots` })
  return requests
}

/** Methods of the execution-apis that Besu does not have, or has only for diagnostics. */
export const ETH_EXECUTION_API_METHODS: readonly Method[] = [
  method({
    name: 'eth_config',
    summary: 'Returns the current, next and last fork configuration (EIP-7910)',
    params: {},
    result: 'Object',
    handle: (_, { chain }) => chainConfig(chain),
  }),
  method({
    name: 'eth_getBlockAccessList',
    summary: 'Not available: blocks have no access list before Amsterdam (EIP-7928)',
    params: { block: 'BlockNumberOrTagOrHash' },
    result: 'Object',
    handle: async ({ params }, context) => {
      const record = await recordOf(context, required(readSelector(params, 0), 'INVALID_BLOCK'))
      if (record === undefined) return null
      throw new RpcError('RESOURCE_NOT_FOUND')
    },
  }),
  method({
    name: 'eth_baseFee',
    summary: 'Returns the base fee of the next block, in wei',
    params: {},
    result: 'Count',
    handle: (_, context) => {
      const head = nextHeadOf(context)
      return head.nextBaseFeePerGas === undefined ? null : toQuantity(head.nextBaseFeePerGas)
    },
  }),
  method({
    name: 'eth_capabilities',
    summary: 'Returns the oldest block for which each kind of data is available',
    params: {},
    result: 'Object',
    handle: (_, { chain }) => {
      const { header, hash } = chain.head()
      const all = { disabled: false, oldestBlock: '0x0' }
      const proofsFrom = header.number > TRIE_BLOCKS_MAX ? header.number - TRIE_BLOCKS_MAX : 0n
      return {
        head: { number: toQuantity(header.number), hash: toHex(hash) },
        state: all,
        tx: all,
        logs: all,
        receipts: all,
        blocks: all,
        stateproofs: { disabled: false, oldestBlock: toQuantity(proofsFrom) },
      }
    },
  }),
  method({
    name: 'eth_getStorageValues',
    summary: 'Returns the values of several storage slots of several accounts',
    params: { slotsByAddress: 'SlotsByAddress', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Object',
    handle: async ({ params }, context) => {
      const [requests, selector] = withSelector(params, 1, () => readRequests(given(params, 0)))
      return await readState(context, selector, state =>
        Object.fromEntries(
          requests.map(({ name, address, slots }) => {
            const account = state.account(address)
            const values = slots.map(slot =>
              toHex(account === undefined ? ZERO_HASH : state.storage(address, account, slot)),
            )
            return [name, values]
          }),
        ),
      )
    },
  }),
]
