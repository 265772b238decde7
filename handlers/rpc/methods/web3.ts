import { toHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { RpcError } from '../errors.ts'
import { type Method, method } from '../method.ts'
import { bytesOf, requireCount, required } from '../parameters/values.ts'

export const WEB3_METHODS: readonly Method[] = [
  method({
    name: 'web3_clientVersion',
    summary: 'Returns name, version and platform of the node',
    params: {},
    result: 'Text',
    handle: (_, { options }) => options.clientVersion,
  }),
  method({
    name: 'web3_sha3',
    summary: 'Returns the keccak-256 hash of the data',
    params: { data: 'DataOrNone' },
    result: 'Hash',
    handle: ({ params }) => {
      requireCount(params, 1)
      const [text] = params
      if (typeof text !== 'string' || (text !== '' && !text.startsWith('0x')))
        throw new RpcError('INVALID_DATA')
      return toHex(keccak256(required(bytesOf(text), 'INVALID_DATA')))
    },
  }),
]
