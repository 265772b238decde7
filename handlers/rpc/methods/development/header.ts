import { GAS_LIMIT_MIN } from '../../../../core/chain/rules/header.ts'
import { RpcError } from '../../errors.ts'
import { developmentOf } from '../../development/signing.ts'
import { given, decimalOrHexOf, required, requireAddress } from '../../parameters/values.ts'
import { developmentMethod, developmentSetter, type Method } from '../../method.ts'
import { refusing } from './refusing.ts'

/** Header values of later blocks of a development chain, as in anvil and Hardhat. */
export const DEV_HEADER_METHODS: readonly Method[] = [
  ...developmentSetter(['anvil_setCoinbase', 'hardhat_setCoinbase'], {
    summary: 'Sets the account that gets the fees of later blocks',
    params: { account: 'Address' },
    apply: ({ params }, context) => {
      const coinbase = requireAddress(params, 0)
      return refusing(() => developmentOf(context).setHeader({ coinbase }))
    },
  }),
  ...developmentSetter(['anvil_setNextBlockBaseFeePerGas', 'hardhat_setNextBlockBaseFeePerGas'], {
    summary: 'Sets the base fee of the next block; later ones follow from it',
    params: { weiPerGas: 'DecimalWei' },
    apply: ({ params }, context) => {
      const baseFeePerGas = required(decimalOrHexOf(given(params, 0)), 'INVALID_PARAMS')
      return refusing(() => developmentOf(context).setHeader({ next: { baseFeePerGas } }))
    },
  }),
  ...developmentMethod(['evm_setBlockGasLimit', 'anvil_setBlockGasLimit'], {
    summary: 'Sets the gas limit of the next block and of those that follow',
    params: { gasLimit: 'DecimalGas' },
    result: 'Boolean',
    handle: async ({ params }, context) => {
      const gasLimit = required(decimalOrHexOf(given(params, 0), 63), 'INVALID_PARAMS')
      if (gasLimit < GAS_LIMIT_MIN)
        throw new RpcError('INVALID_PARAMS', {
          detail: `a block has a gas limit of ${GAS_LIMIT_MIN} or more`,
        })
      await refusing(() => developmentOf(context).setHeader({ next: { gasLimit } }))
      return true
    },
  }),
  ...developmentSetter(['anvil_setMinGasPrice', 'hardhat_setMinGasPrice'], {
    summary: 'Sets the minimum gas price of produced blocks',
    params: { weiPerGas: 'DecimalWei' },
    apply: ({ params }, context) => {
      const minGasPrice = required(decimalOrHexOf(given(params, 0)), 'INVALID_MIN_GAS_PRICE')
      developmentOf(context)
      required(context.miner, 'METHOD_NOT_ENABLED').change({ minGasPrice })
    },
  }),
]
