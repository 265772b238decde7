import { toHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { RpcError } from '../dispatch/errors.ts'
import { type Method, method } from './method.ts'
import { bytesOf, requireCount, required } from '../parameters/values.ts'

export const WEB3_METHODS: readonly Method[] = [
  method('web3_clientVersion', [], (_, { options }) => options.clientVersion),
  method('web3_sha3', ['data'], ({ params }) => {
    requireCount(params, 1)
    const [text] = params
    if (typeof text !== 'string' || (text !== '' && !text.startsWith('0x')))
      throw new RpcError('INVALID_DATA')
    return toHex(keccak256(required(bytesOf(text), 'INVALID_DATA')))
  }),
]
