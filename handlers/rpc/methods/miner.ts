import { VANITY_BYTES } from '../../../core/block/codec/extraData.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { RpcContext, RpcMiner } from '../context.ts'
import { RpcError } from '../errors.ts'
import { type Method, method } from '../method.ts'
import { bytesOf, given, integerOf, required } from '../parameters/values.ts'

const minerOf = ({ miner }: RpcContext): RpcMiner => required(miner, 'METHOD_NOT_ENABLED')

/** Size of the vanity part of a QBFT block's extra data. */

const readExtraData = (value: unknown): Uint8Array => {
  const bytes = bytesOf(value)
  if (bytes === undefined)
    throw new RpcError('INVALID_EXTRA_DATA', { data: 'extra data must be bytes in hex' })
  if (bytes.length > VANITY_BYTES)
    throw new RpcError('INVALID_EXTRA_DATA', {
      data: `extra data has ${bytes.length} bytes; the maximum is ${VANITY_BYTES}`,
    })
  return bytes
}

/** Settings of block production, which apply until the node stops. */
export const MINER_METHODS: readonly Method[] = [
  method({
    name: 'miner_start',
    summary: 'Resumes taking part in block production',
    params: {},
    result: 'Boolean',
    handle: (_, context) => minerOf(context).start(),
  }),
  method({
    name: 'miner_stop',
    summary: 'Stops taking part in block production',
    params: {},
    result: 'Boolean',
    handle: (_, context) => minerOf(context).stop(),
  }),
  method({
    name: 'miner_changeTargetGasLimit',
    summary: 'Sets the target gas limit of produced blocks',
    params: { gasLimit: 'Gas' },
    result: 'Text',
    handle: ({ params }, context) => {
      const targetGasLimit = required(integerOf(given(params, 0), 63), 'INVALID_TARGET_GAS_LIMIT')
      required(context.miner, 'TARGET_GAS_LIMIT_UNSUPPORTED').change({ targetGasLimit })
      return 'Success'
    },
  }),
  method({
    name: 'miner_getMinGasPrice',
    summary: 'Returns the minimum gas price of produced blocks, in wei',
    params: {},
    result: 'Quantity',
    handle: (_, context) => toQuantity(minerOf(context).settings().minGasPrice),
  }),
  method({
    name: 'miner_setMinGasPrice',
    summary: 'Sets the minimum gas price of produced blocks',
    params: { weiPerGas: 'Wei' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      minerOf(context).change({ minGasPrice: required(integerOf(given(params, 0)), 'INVALID_MIN_GAS_PRICE') })
      return true
    },
  }),
  method({
    name: 'miner_getMinPriorityFee',
    summary: 'Returns the minimum priority fee of produced blocks, in wei',
    params: {},
    result: 'Quantity',
    handle: (_, context) => toQuantity(minerOf(context).settings().minPriorityFee),
  }),
  method({
    name: 'miner_setMinPriorityFee',
    summary: 'Sets the minimum priority fee of produced blocks',
    params: { weiPerGas: 'Wei' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const minPriorityFee = required(integerOf(given(params, 0)), 'INVALID_MIN_PRIORITY_FEE')
      minerOf(context).change({ minPriorityFee })
      return true
    },
  }),
  method({
    name: 'miner_getExtraData',
    summary: 'Returns the vanity data of produced blocks',
    params: {},
    result: 'Data',
    handle: (_, context) => toHex(minerOf(context).settings().extraData),
  }),
  method({
    name: 'miner_setExtraData',
    summary: 'Sets the vanity data of produced blocks',
    params: { data: 'ExtraData' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      minerOf(context).change({ extraData: readExtraData(given(params, 0)) })
      return true
    },
  }),
]
