import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { RpcContext, RpcMiner } from '../context.ts'
import { RpcError } from '../dispatch/errors.ts'
import { type Method, method } from './method.ts'
import { bytesOf, given, integerOf, required } from '../parameters/values.ts'

const minerOf = ({ miner }: RpcContext): RpcMiner => required(miner, 'METHOD_NOT_ENABLED')

/** What of the extra data of a QBFT block is free. */
const EXTRA_DATA_BYTES_MAX = 32

const readExtraData = (value: unknown): Uint8Array => {
  const bytes = bytesOf(value)
  if (bytes === undefined) throw new RpcError('INVALID_EXTRA_DATA', { data: 'extra data is bytes in hex' })
  if (bytes.length > EXTRA_DATA_BYTES_MAX)
    throw new RpcError('INVALID_EXTRA_DATA', {
      data: `extra data has ${bytes.length} bytes, at most ${EXTRA_DATA_BYTES_MAX} are free`,
    })
  return bytes
}

/** How this node makes blocks; what is set holds until it ends. */
export const MINER_METHODS: readonly Method[] = [
  method('miner_start', [], (_, context) => minerOf(context).start()),
  method('miner_stop', [], (_, context) => minerOf(context).stop()),
  method('miner_changeTargetGasLimit', ['gasLimit'], ({ params }, context) => {
    const targetGasLimit = required(integerOf(given(params, 0), 63), 'INVALID_TARGET_GAS_LIMIT')
    required(context.miner, 'TARGET_GAS_LIMIT_UNSUPPORTED').change({ targetGasLimit })
    return 'Success'
  }),
  method('miner_getMinGasPrice', [], (_, context) => toQuantity(minerOf(context).settings().minGasPrice)),
  method('miner_setMinGasPrice', ['weiPerGas'], ({ params }, context) => {
    minerOf(context).change({ minGasPrice: required(integerOf(given(params, 0)), 'INVALID_MIN_GAS_PRICE') })
    return true
  }),
  method('miner_getMinPriorityFee', [], (_, context) =>
    toQuantity(minerOf(context).settings().minPriorityFee),
  ),
  method('miner_setMinPriorityFee', ['weiPerGas'], ({ params }, context) => {
    const minPriorityFee = required(integerOf(given(params, 0)), 'INVALID_MIN_PRIORITY_FEE')
    minerOf(context).change({ minPriorityFee })
    return true
  }),
  method('miner_getExtraData', [], (_, context) => toHex(minerOf(context).settings().extraData)),
  method('miner_setExtraData', ['data'], ({ params }, context) => {
    minerOf(context).change({ extraData: readExtraData(given(params, 0)) })
    return true
  }),
]
